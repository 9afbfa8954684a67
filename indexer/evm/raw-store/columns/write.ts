import { KNOWN_TEXTS } from "./dictionary.ts";
import { CODE, type Columns, type Fields, LEAST_REMEMBERED, WORD_DIGITS } from "./format.ts";

const KNOWN_NUMBERS: ReadonlyMap<string, number> = new Map(KNOWN_TEXTS.map((text, number) => [text, number]));
const HEX = /^0x[0-9a-f]*$/;
const ADDRESS_WORD = /^0x0{24}(?!0{8})/;
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

/** Writes a value as `JSON.parse` returns it; fields may also be undefined. Throws a RangeError if it has more than 500 levels. */
export function writeColumns(value: unknown): Columns {
  const columns: WrittenColumn[] = [];
  const fieldLists = new Map<string, Fields<WrittenColumn>>();
  const numbers = new Map(KNOWN_NUMBERS);
  const texts: string[] = [];
  let hex = "";
  let hashes = "";
  let depth = 0;

  const newColumn = (): WrittenColumn => {
    const column = { codes: [], text: null, number: 0, fields: null, items: null };
    columns.push(column);
    return column;
  };

  const write = (column: WrittenColumn, item: unknown): void => {
    if (typeof item === "string") writeText(column, item);
    else if (item === null) column.codes.push(CODE.null);
    else if (typeof item === "object") writeNested(column, item);
    else if (item === undefined) column.codes.push(CODE.absent);
    else if (typeof item === "boolean") column.codes.push(item ? CODE.true : CODE.false);
    else {
      column.codes.push(CODE.number);
      texts.push(String(item));
    }
  };

  const writeNested = (column: WrittenColumn, item: object): void => {
    if (++depth > MAX_DEPTH) throw new RangeError(`the value has more than ${MAX_DEPTH} levels`);
    if (Array.isArray(item)) writeArray(column, item);
    else writeObject(column, item as Readonly<Record<string, unknown>>);
    depth--;
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
