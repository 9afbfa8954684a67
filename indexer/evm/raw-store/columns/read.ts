import { KNOWN_TEXTS } from "./dictionary.ts";
import { CODE, type Columns, type Fields, LEAST_REMEMBERED, WORD_DIGITS } from "./format.ts";

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
