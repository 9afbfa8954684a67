import { hexFormOf } from "../../wire/hex-digits.ts";
import { ByteSink } from "./byte-sink.ts";
import { KNOWN_TEXTS } from "./dictionary.ts";
import { CODE, type Columns, type Fields, LEAST_REMEMBERED, WORD_DIGITS } from "./format.ts";

const KNOWN_NUMBERS: ReadonlyMap<string, number> = new Map(KNOWN_TEXTS.map((text, number) => [text, number]));
/** The zeros before an address in a word, and zeros at the start of an address, which is then stored as a number. */
const ADDRESS_ZEROS = "0".repeat(24);
const NUMBER_ZEROS = "0".repeat(8);
const ADDRESS_START = 2 + ADDRESS_ZEROS.length;
const WORD_LENGTH = 2 + WORD_DIGITS;
const SELECTOR_LENGTH = 10;
/** Answers of nodes have fewer than 20 levels. Reading needs more of the stack than writing, so there is a limit of its own. */
const MAX_DEPTH = 500;

interface WrittenColumn {
  readonly codes: number[];
  text: string | null;
  /** Number of the column's last remembered text. */
  number: number;
  fields: Fields<WrittenColumn> | null;
  items: WrittenColumn | null;
}

/** What is written so far. */
interface Written {
  readonly columns: WrittenColumn[];
  readonly fieldLists: Map<string, Fields<WrittenColumn>>;
  /** Numbers of the remembered texts. */
  readonly numbers: Map<string, number>;
  readonly texts: string[];
  readonly hex: ByteSink;
  readonly hashes: ByteSink;
  depth: number;
}

/** Writes a value as `JSON.parse` returns it; fields may also be undefined. Throws a RangeError if it has more than 500 levels. */
export function writeColumns(value: unknown): Columns {
  const written: Written = {
    columns: [],
    fieldLists: new Map(),
    numbers: new Map(KNOWN_NUMBERS),
    texts: [],
    hex: new ByteSink(),
    hashes: new ByteSink(),
    depth: 0,
  };
  write(written, newColumn(written), value);
  const { columns, fieldLists, texts, hex, hashes } = written;
  const compressible = joined([
    Buffer.from(`[${[...fieldLists.keys()].join(",")}]`),
    Buffer.from(JSON.stringify(texts)),
    hex.bytes,
    ...columns.map(({ codes }) => codes),
  ]);
  return { compressible, hashes: hashes.bytes };
}

function newColumn({ columns }: Written): WrittenColumn {
  const column = { codes: [], text: null, number: 0, fields: null, items: null };
  columns.push(column);
  return column;
}

function write(written: Written, column: WrittenColumn, item: unknown): void {
  const { codes } = column;
  if (typeof item === "string") writeText(written, column, item);
  else if (item === null) codes.push(CODE.null);
  else if (typeof item === "object") writeNested(written, column, item);
  else if (item === undefined) codes.push(CODE.absent);
  else if (typeof item === "boolean") codes.push(item ? CODE.true : CODE.false);
  else {
    codes.push(CODE.number);
    written.texts.push(String(item));
  }
}

function writeNested(written: Written, column: WrittenColumn, item: object): void {
  if (++written.depth > MAX_DEPTH) throw new RangeError(`the value has more than ${MAX_DEPTH} levels`);
  if (Array.isArray(item)) writeArray(written, column, item);
  else writeObject(written, column, item);
  written.depth--;
}

function writeText(written: Written, column: WrittenColumn, text: string): void {
  if (isKnown(written, column, text)) return;
  if (text.startsWith("0x") && hexFormOf(text) === "lower case") writeHex(written, column, text);
  else {
    column.codes.push(CODE.text);
    written.texts.push(text);
  }
}

/** The same for `0x` and lower-case hex digits. */
function writeHexText(written: Written, column: WrittenColumn, text: string): void {
  if (!isKnown(written, column, text)) writeHex(written, column, text);
}

/** True if a text occurred before: then it is written as a reference. Else it gets a number, unless it is short. */
function isKnown({ numbers }: Written, column: WrittenColumn, text: string): boolean {
  const { codes } = column;
  if (text === column.text) {
    codes.push(CODE.same);
    return true;
  }
  column.text = text;
  if (text.length < LEAST_REMEMBERED) return false;
  const known = numbers.get(text);
  const number = known ?? numbers.size;
  const distance = number - column.number;
  column.number = number;
  if (known === undefined) {
    numbers.set(text, number);
    return false;
  }
  codes.push(CODE.again);
  pushVarint(codes, distance < 0 ? -2 * distance - 1 : 2 * distance);
  return true;
}

function writeHex(written: Written, column: WrittenColumn, text: string): void {
  const { codes } = column;
  if (text.length === WORD_LENGTH) writeWord(written, column, text);
  else if (text.length > WORD_LENGTH && text.length % WORD_DIGITS === SELECTOR_LENGTH) {
    codes.push(CODE.call);
    writeWords(written, column, text, SELECTOR_LENGTH);
  } else if (text.length > WORD_LENGTH && text.length % WORD_DIGITS === 2) {
    codes.push(CODE.words);
    writeWords(written, column, text, 2);
  } else {
    codes.push(text.length % 2 === 1 ? CODE.oddHex : CODE.hex);
    pushVarint(codes, (text.length - 1) >> 1);
    written.hex.appendHex(text, 2);
  }
}

function writeWord(written: Written, column: WrittenColumn, text: string): void {
  const { codes } = column;
  if (text.startsWith(ADDRESS_ZEROS, 2) && !text.startsWith(NUMBER_ZEROS, ADDRESS_START)) {
    codes.push(CODE.address);
    column.items ??= newColumn(written);
    writeHexText(written, column.items, `0x${text.slice(ADDRESS_START)}`);
  } else if (text.startsWith("00", 2)) {
    let start = 4;
    while (text.startsWith("00", start)) start += 2;
    codes.push(CODE.number32);
    pushVarint(codes, (text.length - start) / 2);
    written.hex.appendHex(text, start);
  } else {
    codes.push(CODE.hash);
    written.hashes.appendHex(text, 2);
  }
}

function writeWords(written: Written, column: WrittenColumn, text: string, start: number): void {
  pushVarint(column.codes, (text.length - start) / WORD_DIGITS);
  column.items ??= newColumn(written);
  if (start > 2) writeHexText(written, column.items, text.slice(0, start));
  for (let at = start; at < text.length; at += WORD_DIGITS)
    writeHexText(written, column.items, `0x${text.slice(at, at + WORD_DIGITS)}`);
}

function writeArray(written: Written, column: WrittenColumn, items: readonly unknown[]): void {
  column.codes.push(CODE.array);
  pushVarint(column.codes, items.length);
  column.items ??= newColumn(written);
  for (const item of items) write(written, column.items, item);
}

function writeObject(written: Written, column: WrittenColumn, object: object): void {
  const { columns } = writeFields(written, column, Object.keys(object));
  const values = Object.values(object);
  for (let i = 0; i < columns.length; i++) write(written, columns[i] as WrittenColumn, values[i]);
}

/** Writes the names of an object's fields. */
function writeFields(written: Written, column: WrittenColumn, names: string[]): Fields<WrittenColumn> {
  const { codes } = column;
  if (column.fields !== null && isSameList(column.fields.names, names)) {
    codes.push(CODE.sameFields);
    return column.fields;
  }
  const { fieldLists } = written;
  const key = JSON.stringify(names);
  let fields = fieldLists.get(key);
  if (fields === undefined) {
    fields = { id: fieldLists.size, names, columns: names.map(() => newColumn(written)) };
    fieldLists.set(key, fields);
  }
  column.fields = fields;
  codes.push(CODE.object);
  pushVarint(codes, fields.id);
  return fields;
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}

function pushVarint(codes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    codes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  codes.push(rest);
}

/** The number of parts, their lengths, and the parts. */
function joined(parts: readonly ArrayLike<number>[]): Buffer {
  const head: number[] = [];
  pushVarint(head, parts.length);
  for (const { length } of parts) pushVarint(head, length);
  const bytes = new ByteSink();
  bytes.append(head);
  for (const part of parts) bytes.append(part);
  return bytes.bytes;
}
