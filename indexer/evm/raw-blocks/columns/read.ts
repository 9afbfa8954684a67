import { KNOWN_TEXTS } from "./dictionary.ts";
import { ADDRESS_DIGITS, CODE, type Columns, type Fields, LEAST_REMEMBERED, WORD_DIGITS } from "./format.ts";

const ADDRESS_ZEROS = `0x${"0".repeat(24)}`;

interface ReadColumn {
  /** Position of the next code, and the end of the column. */
  at: number;
  readonly end: number;
  text: string;
  number: number;
  fields: Fields<ReadColumn> | null;
  items: ReadColumn | null;
}

/** The parts of the form, and what is read of them. */
interface Source {
  readonly bytes: Buffer;
  /** Position of the part that is read next. */
  at: number;
  readonly nameLists: readonly (readonly string[])[];
  readonly fieldLists: Fields<ReadColumn>[];
  readonly texts: readonly string[];
  textsRead: number;
  readonly hex: string;
  hexRead: number;
  readonly hashes: string;
  hashesRead: number;
  readonly columnLengths: readonly number[];
  columnsRead: number;
  /** The remembered texts, by number. */
  readonly remembered: string[];
}

/** The value that `writeColumns` wrote. Throws if the bytes are damaged. */
export function readColumns(columns: Columns): unknown {
  const source = sourceOf(columns);
  return read(source, nextColumn(source));
}

function sourceOf({ compressible: bytes, hashes }: Columns): Source {
  const head = { at: 0, end: bytes.length };
  const lengths = Array.from({ length: varint(bytes, head) }, () => varint(bytes, head));
  const [nameLength = 0, textLength = 0, hexLength = 0, ...columnLengths] = lengths;
  const textStart = head.at + nameLength;
  const hexStart = textStart + textLength;
  return {
    bytes,
    at: hexStart + hexLength,
    nameLists: JSON.parse(bytes.toString("utf8", head.at, textStart)),
    fieldLists: [],
    texts: JSON.parse(bytes.toString("utf8", textStart, hexStart)),
    textsRead: 0,
    hex: bytes.toString("hex", hexStart, hexStart + hexLength),
    hexRead: 0,
    hashes: hashes.toString("hex"),
    hashesRead: 0,
    columnLengths,
    columnsRead: 0,
    remembered: [...KNOWN_TEXTS],
  };
}

/** A number of a column, or of the lengths before the parts. */
function varint(bytes: Buffer, column: Pick<ReadColumn, "at" | "end">): number {
  let value = 0;
  for (let unit = 1; ; unit *= 0x80) {
    const byte = code(bytes, column);
    value += (byte & 0x7f) * unit;
    if (byte < 0x80) return value;
  }
}

function code(bytes: Buffer, column: Pick<ReadColumn, "at" | "end">): number {
  if (column.at >= column.end) throw new Error("the stored block is damaged: a part ends too early");
  return bytes[column.at++] as number;
}

function nextColumn(source: Source): ReadColumn {
  const start = source.at;
  source.at += source.columnLengths[source.columnsRead++] ?? 0;
  return { at: start, end: source.at, text: "", number: 0, fields: null, items: null };
}

function itemsOf(source: Source, column: ReadColumn): ReadColumn {
  column.items ??= nextColumn(source);
  return column.items;
}

function read(source: Source, column: ReadColumn): unknown {
  const { bytes } = source;
  const next = code(bytes, column);
  switch (next) {
    case CODE.null:
      return null;
    case CODE.absent:
      return undefined;
    case CODE.true:
      return true;
    case CODE.false:
      return false;
    case CODE.number:
      return Number(source.texts[source.textsRead++]);
    case CODE.array:
      return readArray(source, column, varint(bytes, column));
    case CODE.object:
      return readObject(source, readFields(source, column));
    case CODE.sameFields:
      return readObject(source, column.fields as Fields<ReadColumn>);
    default:
      return readText(source, column, next);
  }
}

function readText(source: Source, column: ReadColumn, next: number): string {
  const { bytes } = source;
  switch (next) {
    case CODE.same:
      return column.text;
    case CODE.again:
      return readAgain(source, column);
    case CODE.hex:
      return plain(source, column, `0x${nextDigits(source, varint(bytes, column))}`);
    case CODE.oddHex:
      return plain(source, column, `0x${nextDigits(source, varint(bytes, column)).slice(1)}`);
    case CODE.hash:
      return plain(source, column, nextHash(source, WORD_DIGITS));
    case CODE.bytes20:
      return plain(source, column, nextHash(source, ADDRESS_DIGITS));
    case CODE.number32:
      return plain(source, column, `0x${nextDigits(source, varint(bytes, column)).padStart(WORD_DIGITS, "0")}`);
    case CODE.address:
      return readAddressWord(source, column);
    case CODE.call:
      return readWords(source, column, true);
    case CODE.words:
      return readWords(source, column, false);
    case CODE.text:
      return plain(source, column, source.texts[source.textsRead++] as string);
    default:
      throw new Error("the stored block is damaged: it has an unknown code");
  }
}

function readAgain({ bytes, remembered }: Source, column: ReadColumn): string {
  const folded = varint(bytes, column);
  column.number += folded % 2 === 1 ? -(folded + 1) / 2 : folded / 2;
  column.text = remembered[column.number] as string;
  return column.text;
}

function readAddressWord(source: Source, column: ReadColumn): string {
  const reserved = reserve(source, column);
  const address = read(source, itemsOf(source, column)) as string;
  return keep(source, column, ADDRESS_ZEROS + address.slice(2), reserved);
}

function readWords(source: Source, column: ReadColumn, hasSelector: boolean): string {
  const reserved = reserve(source, column);
  const count = varint(source.bytes, column);
  const items = itemsOf(source, column);
  let text = hasSelector ? (read(source, items) as string) : "0x";
  for (let i = 0; i < count; i++) text += (read(source, items) as string).slice(2);
  return keep(source, column, text, reserved);
}

/** Gives the column's next text a number. The texts within it get the numbers that follow. */
function reserve({ remembered }: Source, column: ReadColumn): number {
  column.number = remembered.length;
  remembered.push("");
  return column.number;
}

function keep({ remembered }: Source, column: ReadColumn, text: string, reserved: number): string {
  column.text = text;
  remembered[reserved] = text;
  return text;
}

/** Keeps a text without other texts in it. */
function plain({ remembered }: Source, column: ReadColumn, text: string): string {
  column.text = text;
  if (text.length < LEAST_REMEMBERED) return text;
  column.number = remembered.length;
  remembered.push(text);
  return text;
}

/** Hex of the next bytes. */
function nextDigits(source: Source, length: number): string {
  const start = source.hexRead;
  source.hexRead = start + 2 * length;
  return source.hex.slice(start, source.hexRead);
}

function nextHash(source: Source, digits: number): string {
  const start = source.hashesRead;
  source.hashesRead = start + digits;
  return `0x${source.hashes.slice(start, source.hashesRead)}`;
}

function readArray(source: Source, column: ReadColumn, length: number): unknown[] {
  const items = itemsOf(source, column);
  const result: unknown[] = [];
  for (let i = 0; i < length; i++) result.push(read(source, items));
  return result;
}

function readFields(source: Source, column: ReadColumn): Fields<ReadColumn> {
  const id = varint(source.bytes, column);
  const names = source.nameLists[id] ?? [];
  source.fieldLists[id] ??= { id, names, columns: names.map(() => nextColumn(source)) };
  column.fields = source.fieldLists[id];
  return column.fields;
}

function readObject(source: Source, { names, columns }: Fields<ReadColumn>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    const value = read(source, columns[i] as ReadColumn);
    // An assignment to this name would change the prototype.
    if (name === "__proto__") Object.defineProperty(result, name, { value, enumerable: true });
    else if (value !== undefined) result[name] = value;
  }
  return result;
}
