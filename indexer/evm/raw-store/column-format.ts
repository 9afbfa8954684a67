import { KNOWN_TEXTS } from "./column-dictionary.ts";

/**
 * A compact form of JSON values with many objects of the same fields, such as the transactions of a block. The values of a
 * field are stored together, hex is stored as bytes, and a text that occurs again is a reference. ABI-encoded data is stored word
 * by word, so that an address in it is a reference too.
 *
 * The form is a list of parts: the lists of field names, the other texts, the bytes of hex texts, and the codes of each column. A
 * column has the values of one field, or the items of the arrays (or the words of the data) in one column. Columns are
 * numbered in the order in which the values, depth first, need them. The bytes of hashes are apart, because they cannot be
 * compressed.
 */
export interface Columns {
  readonly compressible: Buffer;
  readonly hashes: Buffer;
}

/** First byte of the codes of a value. Part of the format. */
const CODE = {
  /** The same text as the previous one of the column. */
  same: 0,
  /** A text that occurred before: the distance of its number from that of the column's previous text. */
  again: 1,
  /** `0x` and an even number of lower-case hex digits: the number of bytes. */
  hex: 2,
  /** The same with an odd number of digits. */
  oddHex: 3,
  text: 4,
  null: 5,
  true: 6,
  false: 7,
  number: 8,
  /** The number of items. */
  array: 9,
  /** The number of the list of field names. */
  object: 10,
  /** An object with the same fields as the previous one of the column. */
  sameFields: 11,
  /** A word of 32 bytes with an address: the address follows as a text. */
  address: 12,
  /** 32 bytes that are among the hashes. */
  hash: 13,
  /** A selector of 4 bytes and words of 32 bytes: the number of words. The selector follows as a text, the words as items. */
  call: 14,
  /** Several words of 32 bytes: their number. The words follow as items. */
  words: 15,
  /** A word of 32 bytes that begins with zeros: the number of the other bytes. */
  number32: 16,
  /** The field is undefined, so JSON does not have it. */
  absent: 17,
} as const;

/** Shorter texts are not remembered: a reference would not be shorter. */
const LEAST_REMEMBERED = 10;
const KNOWN_NUMBERS: ReadonlyMap<string, number> = new Map(KNOWN_TEXTS.map((text, number) => [text, number]));
const HEX = /^0x[0-9a-f]*$/;
const ADDRESS_WORD = /^0x0{24}(?!0{8})/;
const WORD_DIGITS = 64;
const WORD_LENGTH = 2 + WORD_DIGITS;
const SELECTOR_LENGTH = 10;

interface Fields<Column> {
  readonly id: number;
  readonly names: readonly string[];
  readonly columns: readonly Column[];
}

interface WrittenColumn {
  readonly codes: number[];
  text: string | null;
  /** Number of the column's last remembered text. */
  number: number;
  fields: Fields<WrittenColumn> | null;
  items: WrittenColumn | null;
}

/** Writes a value as `JSON.parse` returns it; fields may also be undefined. Throws a RangeError if it is nested too deeply. */
export function writeColumns(value: unknown): Columns {
  const columns: WrittenColumn[] = [];
  const fieldLists = new Map<string, Fields<WrittenColumn>>();
  const numbers = new Map(KNOWN_NUMBERS);
  const texts: string[] = [];
  let hex = "";
  let hashes = "";

  const newColumn = (): WrittenColumn => {
    const column = { codes: [], text: null, number: 0, fields: null, items: null };
    columns.push(column);
    return column;
  };

  const write = (column: WrittenColumn, item: unknown): void => {
    if (typeof item === "string") writeText(column, item);
    else if (item === null) column.codes.push(CODE.null);
    else if (Array.isArray(item)) writeArray(column, item);
    else if (typeof item === "object") writeObject(column, item as Readonly<Record<string, unknown>>);
    else if (item === undefined) column.codes.push(CODE.absent);
    else if (typeof item === "boolean") column.codes.push(item ? CODE.true : CODE.false);
    else {
      column.codes.push(CODE.number);
      texts.push(String(item));
    }
  };

  const writeText = (column: WrittenColumn, text: string): void => {
    const { codes } = column;
    if (text === column.text) {
      codes.push(CODE.same);
      return;
    }
    column.text = text;
    if (text.length >= LEAST_REMEMBERED) {
      const number = numbers.get(text) ?? numbers.size;
      const distance = number - column.number;
      column.number = number;
      if (number < numbers.size) {
        codes.push(CODE.again);
        pushVarint(codes, distance < 0 ? -2 * distance - 1 : 2 * distance);
        return;
      }
      numbers.set(text, number);
    }
    if (HEX.test(text)) writeHex(column, text);
    else {
      codes.push(CODE.text);
      texts.push(text);
    }
  };

  const writeHex = (column: WrittenColumn, text: string): void => {
    const { codes } = column;
    if (text.length === WORD_LENGTH) writeWord(column, text);
    else if (text.length > WORD_LENGTH && text.length % WORD_DIGITS === SELECTOR_LENGTH) {
      codes.push(CODE.call);
      writeWords(column, text, SELECTOR_LENGTH);
    } else if (text.length > WORD_LENGTH && text.length % WORD_DIGITS === 2) {
      codes.push(CODE.words);
      writeWords(column, text, 2);
    } else {
      const isOdd = text.length % 2 === 1;
      codes.push(isOdd ? CODE.oddHex : CODE.hex);
      pushVarint(codes, (text.length - 1) >> 1);
      hex += isOdd ? `0${text.slice(2)}` : text.slice(2);
    }
  };

  const writeWord = (column: WrittenColumn, text: string): void => {
    if (ADDRESS_WORD.test(text)) {
      column.codes.push(CODE.address);
      column.items ??= newColumn();
      writeText(column.items, `0x${text.slice(26)}`);
    } else if (text.startsWith("0x00")) {
      const digits = text.slice(2).replace(/^(?:00)+/, "");
      column.codes.push(CODE.number32);
      pushVarint(column.codes, digits.length / 2);
      hex += digits;
    } else {
      column.codes.push(CODE.hash);
      hashes += text.slice(2);
    }
  };

  const writeWords = (column: WrittenColumn, text: string, start: number): void => {
    pushVarint(column.codes, (text.length - start) / WORD_DIGITS);
    column.items ??= newColumn();
    if (start > 2) writeText(column.items, text.slice(0, start));
    for (let at = start; at < text.length; at += WORD_DIGITS)
      writeText(column.items, `0x${text.slice(at, at + WORD_DIGITS)}`);
  };

  const writeArray = (column: WrittenColumn, items: readonly unknown[]): void => {
    column.codes.push(CODE.array);
    pushVarint(column.codes, items.length);
    column.items ??= newColumn();
    for (const item of items) write(column.items, item);
  };

  const writeObject = (column: WrittenColumn, object: Readonly<Record<string, unknown>>): void => {
    const names = Object.keys(object);
    let { fields } = column;
    if (fields !== null && isSameList(fields.names, names)) column.codes.push(CODE.sameFields);
    else {
      const key = JSON.stringify(names);
      fields = fieldLists.get(key) ?? null;
      if (fields === null) {
        fields = { id: fieldLists.size, names, columns: names.map(newColumn) };
        fieldLists.set(key, fields);
      }
      column.fields = fields;
      column.codes.push(CODE.object);
      pushVarint(column.codes, fields.id);
    }
    for (let i = 0; i < names.length; i++) write(fields.columns[i] as WrittenColumn, object[names[i] as string]);
  };

  write(newColumn(), value);
  const compressible = joined([
    Buffer.from(`[${[...fieldLists.keys()].join(",")}]`),
    Buffer.from(JSON.stringify(texts)),
    Buffer.from(hex, "hex"),
    ...columns.map(({ codes }) => Buffer.from(codes)),
  ]);
  return { compressible, hashes: Buffer.from(hashes, "hex") };
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

function joined(parts: readonly Buffer[]): Buffer {
  const lengths: number[] = [];
  for (const { length } of parts) pushVarint(lengths, length);
  const count: number[] = [];
  pushVarint(count, parts.length);
  return Buffer.concat([Buffer.from([...count, ...lengths]), ...parts]);
}

interface ReadColumn {
  /** Position of the next code, and the end of the column. */
  at: number;
  readonly end: number;
  text: string;
  number: number;
  fields: Fields<ReadColumn> | null;
  items: ReadColumn | null;
}

/** The value that `writeColumns` wrote. Throws if the bytes are damaged. */
export function readColumns({ compressible: bytes, hashes }: Columns): unknown {
  let at = 0;
  const headVarint = (): number => {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("the stored block is damaged: it ends too early");
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
    }
  };
  const lengths = Array.from({ length: headVarint() }, headVarint);
  const [nameLength = 0, textLength = 0, hexLength = 0, ...columnLengths] = lengths;
  const part = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const nameLists = JSON.parse(part(nameLength).toString()) as string[][];
  const texts = JSON.parse(part(textLength).toString()) as string[];
  const hex = part(hexLength).toString("hex");
  const fieldLists: Fields<ReadColumn>[] = [];
  const remembered = [...KNOWN_TEXTS];
  let textsRead = 0;
  let hexRead = 0;
  const hashHex = hashes.toString("hex");
  let hashesRead = 0;
  let columnsRead = 0;

  const nextColumn = (): ReadColumn => {
    const start = at;
    at += columnLengths[columnsRead++] ?? 0;
    return { at: start, end: at, text: "", number: 0, fields: null, items: null };
  };

  const code = (column: ReadColumn): number => {
    if (column.at >= column.end) throw new Error("the stored block is damaged: a column ends too early");
    return bytes[column.at++] as number;
  };

  const number = (column: ReadColumn): number => {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = code(column);
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
    }
  };

  /** Gives the column's next text a number. The texts within it get the numbers that follow. */
  const reserve = (column: ReadColumn): number => {
    column.number = remembered.length;
    remembered.push("");
    return column.number;
  };

  const keep = (column: ReadColumn, text: string, reserved: number | null): string => {
    column.text = text;
    if (reserved !== null) remembered[reserved] = text;
    return text;
  };

  const plain = (column: ReadColumn, text: string): string =>
    keep(column, text, text.length < LEAST_REMEMBERED ? null : reserve(column));

  /** Hex of the next bytes. */
  const digits = (length: number): string => {
    hexRead += 2 * length;
    return hex.slice(hexRead - 2 * length, hexRead);
  };

  const hash = (): string => {
    hashesRead += WORD_DIGITS;
    return `0x${hashHex.slice(hashesRead - WORD_DIGITS, hashesRead)}`;
  };

  const itemsOf = (column: ReadColumn): ReadColumn => {
    column.items ??= nextColumn();
    return column.items;
  };

  const addressWord = (column: ReadColumn): string => {
    const reserved = reserve(column);
    return keep(column, `0x${"0".repeat(24)}${(read(itemsOf(column)) as string).slice(2)}`, reserved);
  };

  const words = (column: ReadColumn, hasSelector: boolean): string => {
    const reserved = reserve(column);
    const count = number(column);
    const items = itemsOf(column);
    let text = hasSelector ? (read(items) as string) : "0x";
    for (let i = 0; i < count; i++) text += (read(items) as string).slice(2);
    return keep(column, text, reserved);
  };

  const again = (column: ReadColumn): string => {
    const folded = number(column);
    column.number += folded % 2 === 1 ? -(folded + 1) / 2 : folded / 2;
    column.text = remembered[column.number] as string;
    return column.text;
  };

  const array = (column: ReadColumn): unknown[] => {
    const length = number(column);
    const of = itemsOf(column);
    const items: unknown[] = [];
    for (let i = 0; i < length; i++) items.push(read(of));
    return items;
  };

  const object = (fields: Fields<ReadColumn>): Record<string, unknown> => {
    const { names, columns } = fields;
    const result: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      const value = read(columns[i] as ReadColumn);
      // An assignment to this name would change the prototype.
      if (name === "__proto__") Object.defineProperty(result, name, { value, enumerable: true });
      else if (value !== undefined) result[name] = value;
    }
    return result;
  };

  const fieldsOf = (column: ReadColumn): Fields<ReadColumn> => {
    const id = number(column);
    const names = nameLists[id] ?? [];
    fieldLists[id] ??= { id, names, columns: names.map(nextColumn) };
    column.fields = fieldLists[id];
    return column.fields;
  };

  const read = (column: ReadColumn): unknown => {
    switch (code(column)) {
      case CODE.same:
        return column.text;
      case CODE.again:
        return again(column);
      case CODE.hex:
        return plain(column, `0x${digits(number(column))}`);
      case CODE.oddHex:
        return plain(column, `0x${digits(number(column)).slice(1)}`);
      case CODE.hash:
        return plain(column, hash());
      case CODE.number32:
        return plain(column, `0x${digits(number(column)).padStart(WORD_DIGITS, "0")}`);
      case CODE.address:
        return addressWord(column);
      case CODE.call:
        return words(column, true);
      case CODE.words:
        return words(column, false);
      case CODE.text:
        return plain(column, texts[textsRead++] as string);
      case CODE.null:
        return null;
      case CODE.absent:
        return undefined;
      case CODE.true:
        return true;
      case CODE.false:
        return false;
      case CODE.number:
        return Number(texts[textsRead++]);
      case CODE.array:
        return array(column);
      case CODE.object:
        return object(fieldsOf(column));
      case CODE.sameFields:
        return object(column.fields as Fields<ReadColumn>);
      default:
        throw new Error("the stored block is damaged: it has an unknown code");
    }
  };

  return read(nextColumn());
}
