import { hexFormOf } from "../../wire/hex-digits.ts";
import { ByteSink } from "./byte-sink.ts";
import { ColumnCodes } from "./column-codes.ts";
import { ADDRESS_DIGITS, CODE, type Columns, type Fields, LEAST_REMEMBERED, WORD_DIGITS } from "./format.ts";
import { TextNumbers } from "./text-numbers.ts";

/** The zeros before an address in a word, and zeros at the start of an address, which is then stored as a number. */
const ADDRESS_ZEROS = "0".repeat(24);
const NUMBER_ZEROS = "0".repeat(8);
const ADDRESS_START = 2 + ADDRESS_ZEROS.length;
const ADDRESS_LENGTH = 2 + ADDRESS_DIGITS;
const WORD_LENGTH = 2 + WORD_DIGITS;
const SELECTOR_LENGTH = 10;
/** Answers of nodes have fewer than 20 levels. Reading needs more of the stack than writing, so there is a limit of its own. */
const MAX_DEPTH = 500;

interface WrittenColumn {
  readonly id: number;
  text: string | null;
  /** Number of the column's last remembered text. */
  number: number;
  fields: Fields<WrittenColumn> | null;
  items: WrittenColumn | null;
}

/** What is written so far. */
interface Written {
  readonly codes: ColumnCodes;
  readonly fieldLists: Map<string, Fields<WrittenColumn>>;
  /** Numbers of the remembered texts. */
  readonly numbers: TextNumbers;
  readonly texts: string[];
  readonly hex: ByteSink;
  readonly hashes: ByteSink;
  depth: number;
}

// Used for one value after the other: a value takes so little time that memory of its own would cost as much again.
const codes = new ColumnCodes();
const numbers = new TextNumbers();
const hex = new ByteSink();
const hashes = new ByteSink();
const compressible = new ByteSink();

/**
 * Writes a value as `JSON.parse` returns it; fields may also be undefined. The result is valid until the next call. Throws a RangeError if
 * the value has more than 500 levels.
 */
export function writeColumns(value: unknown): Columns {
  for (const used of [codes, numbers, hex, hashes, compressible]) used.clear();
  const written: Written = { codes, fieldLists: new Map(), numbers, texts: [], hex, hashes, depth: 0 };
  write(written, newColumn(written), value);
  join(written);
  return { compressible: compressible.bytes, hashes: hashes.bytes };
}

/** The number of parts, their lengths, and the parts. */
function join({ fieldLists, texts }: Written): void {
  const parts = [Buffer.from(`[${[...fieldLists.keys()].join(",")}]`), Buffer.from(JSON.stringify(texts)), hex.bytes];
  compressible.appendVarint(parts.length + codes.lengths.length);
  for (const { length } of parts) compressible.appendVarint(length);
  for (const length of codes.lengths) compressible.appendVarint(length);
  for (const part of parts) compressible.append(part);
  codes.appendTo(compressible);
}

function newColumn(written: Written): WrittenColumn {
  return { id: written.codes.addColumn(), text: null, number: 0, fields: null, items: null };
}

function write(written: Written, column: WrittenColumn, item: unknown): void {
  const { codes } = written;
  if (typeof item === "string") writeText(written, column, item);
  else if (item === null) codes.push(column.id, CODE.null);
  else if (typeof item === "object") writeNested(written, column, item);
  else if (item === undefined) codes.push(column.id, CODE.absent);
  else if (typeof item === "boolean") codes.push(column.id, item ? CODE.true : CODE.false);
  else {
    codes.push(column.id, CODE.number);
    written.texts.push(String(item));
  }
}

function writeNested(written: Written, column: WrittenColumn, item: object): void {
  if (++written.depth > MAX_DEPTH) throw new RangeError(`the value has more than ${MAX_DEPTH} levels`);
  if (Array.isArray(item)) writeArray(written, column, item);
  else writeObject(written, column, item as Readonly<Record<string, unknown>>);
  written.depth--;
}

function writeText(written: Written, column: WrittenColumn, text: string): void {
  if (isKnown(written, column, text)) return;
  if (text.startsWith("0x") && writeHex(written, column, text, false)) return;
  written.codes.push(column.id, CODE.text);
  written.texts.push(text);
}

/** True if a text occurred before: then it is written as a reference. Else it gets a number, unless it is short. */
function isKnown({ codes, numbers }: Written, column: WrittenColumn, text: string): boolean {
  if (text === column.text) {
    codes.push(column.id, CODE.same);
    return true;
  }
  column.text = text;
  if (text.length < LEAST_REMEMBERED) return false;
  const isNewFrom = numbers.size;
  const number = numbers.numberOf(text);
  const distance = number - column.number;
  column.number = number;
  if (number === isNewFrom) return false;
  codes.push(column.id, CODE.again);
  codes.pushVarint(column.id, distance < 0 ? -2 * distance - 1 : 2 * distance);
  return true;
}

/** Writes a text that begins with `0x`. Returns false and writes nothing if it is not lower-case hex; `isHex` if that is known. */
function writeHex(written: Written, column: WrittenColumn, text: string, isHex: boolean): boolean {
  const { length } = text;
  if (length === WORD_LENGTH) return writeWord(written, column, text, isHex);
  if (length === ADDRESS_LENGTH && !text.startsWith(NUMBER_ZEROS, 2))
    return writeHashed(written, column, text, CODE.bytes20);
  const rest = length > WORD_LENGTH ? length % WORD_DIGITS : 0;
  if (rest === SELECTOR_LENGTH || rest === 2) return writeWords(written, column, text, rest, isHex);
  return writeDigits(written, column, text, length % 2 === 1 ? CODE.oddHex : CODE.hex, 2);
}

function writeWord(written: Written, column: WrittenColumn, text: string, isHex: boolean): boolean {
  if (!text.startsWith("00", 2)) return writeHashed(written, column, text, CODE.hash);
  if (text.startsWith(ADDRESS_ZEROS, 2) && !text.startsWith(NUMBER_ZEROS, ADDRESS_START)) {
    if (!isHex && !isLowerCase(text)) return false;
    written.codes.push(column.id, CODE.address);
    writeItem(written, column, `0x${text.slice(ADDRESS_START)}`);
    return true;
  }
  let start = 4;
  while (text.startsWith("00", start)) start += 2;
  return writeDigits(written, column, text, CODE.number32, start);
}

/** Writes bytes among the hashes. */
function writeHashed({ codes, hashes }: Written, column: WrittenColumn, text: string, code: number): boolean {
  if (!hashes.appendHex(text, 2)) return false;
  codes.push(column.id, code);
  return true;
}

/** Writes the bytes from a position of a text, with their number. Without an object for the arguments, which would be garbage. */
function writeDigits(written: Written, column: WrittenColumn, text: string, code: number, start: number): boolean {
  const { codes, hex } = written;
  if (!hex.appendHex(text, start)) return false;
  codes.push(column.id, code);
  codes.pushVarint(column.id, (text.length - start + 1) >> 1);
  return true;
}

/** Writes the selector of a call, if the words begin after one, and the words. */
function writeWords(written: Written, column: WrittenColumn, text: string, start: number, isHex: boolean): boolean {
  if (!isHex && !isLowerCase(text)) return false;
  const { codes } = written;
  codes.push(column.id, start > 2 ? CODE.call : CODE.words);
  codes.pushVarint(column.id, (text.length - start) / WORD_DIGITS);
  if (start > 2) writeItem(written, column, text.slice(0, start));
  for (let at = start; at < text.length; at += WORD_DIGITS)
    writeItem(written, column, `0x${text.slice(at, at + WORD_DIGITS)}`);
  return true;
}

const isLowerCase = (text: string): boolean => hexFormOf(text) === "lower case";

/** Writes lower-case hex in the column of a column's items. */
function writeItem(written: Written, column: WrittenColumn, text: string): void {
  const items = itemsOf(written, column);
  if (!isKnown(written, items, text)) writeHex(written, items, text, true);
}

function itemsOf(written: Written, column: WrittenColumn): WrittenColumn {
  column.items ??= newColumn(written);
  return column.items;
}

function writeArray(written: Written, column: WrittenColumn, items: readonly unknown[]): void {
  written.codes.push(column.id, CODE.array);
  written.codes.pushVarint(column.id, items.length);
  const ofItems = itemsOf(written, column);
  for (const item of items) write(written, ofItems, item);
}

/** Takes an object whose enumerable fields are all its own. `for` with `in` makes no lists of names and values. */
function writeObject(written: Written, column: WrittenColumn, object: Readonly<Record<string, unknown>>): void {
  const { columns } = fieldsOf(written, column, object);
  let i = 0;
  for (const name in object) write(written, columns[i++] as WrittenColumn, object[name]);
}

/** Writes the names of an object's fields. */
function fieldsOf(written: Written, column: WrittenColumn, object: object): Fields<WrittenColumn> {
  const { codes, fieldLists } = written;
  if (column.fields !== null && hasNames(object, column.fields.names)) {
    codes.push(column.id, CODE.sameFields);
    return column.fields;
  }
  const names = Object.keys(object);
  const key = JSON.stringify(names);
  let fields = fieldLists.get(key);
  if (fields === undefined) {
    fields = { id: fieldLists.size, names, columns: names.map(() => newColumn(written)) };
    fieldLists.set(key, fields);
  }
  column.fields = fields;
  codes.push(column.id, CODE.object);
  codes.pushVarint(column.id, fields.id);
  return fields;
}

function hasNames(object: object, names: readonly string[]): boolean {
  let i = 0;
  for (const name in object) if (name !== names[i++]) return false;
  return i === names.length;
}
