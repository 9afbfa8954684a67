import pg from "pg";
import { LENGTH_BYTES, ROW_HEAD_BYTES, type TextRows } from "./text-query.ts";

const { builtins } = pg.types;

/** JavaScript that converts the text of a column, which is not null, by the type of the column. */
const CONVERSIONS = new Map<number, (text: string) => string>([
  [builtins.BYTEA, (text) => text],
  [builtins.INT4, (text) => `+${text}`],
  [builtins.INT2, (text) => `+${text}`],
  [builtins.FLOAT8, (text) => `Number(${text})`],
  [builtins.BOOL, (text) => `${text} === 't'`],
  [builtins.INT8, (text) => text],
  [builtins.NUMERIC, (text) => text],
]);

/** Column that a statement has besides its rows: see `headOf`. */
export const HEAD_COLUMN = "list.head";

/** The number in the column `HEAD_COLUMN` of the first row, as text; null if there are no rows. The objects of rows do not have it. */
export function headOf({ columns: { fields }, parts }: TextRows): string | null {
  const column = fields.findIndex(({ name }) => name === HEAD_COLUMN);
  const [part = ""] = parts;
  let at = ROW_HEAD_BYTES;
  for (let before = 0; before < column && part !== ""; before++) at += LENGTH_BYTES + Math.max(lengthAt(part, at), 0);
  const length = part === "" ? -1 : lengthAt(part, at);
  return length < 0 ? null : part.slice(at + LENGTH_BYTES, at + LENGTH_BYTES + length);
}

/** Makes objects of the rows of a result. All results must have the same columns. */
export type ToRows<Row> = (result: Pick<TextRows, "parts">) => Row[];

/**
 * Compiles a function that makes an object of each row: `0x` hex for bytes, numbers for INT and FLOAT, text for larger numbers. The object
 * is a literal in generated code, because the driver takes several times as long to set one property after the other.
 */
export function compileRows<Row>({ columns: { fields } }: TextRows): ToRows<Row> {
  const source = `return (part, rows) => { ${sourceOfParts(fields)} };`;
  const addRows = new Function("decoded", "lengthAt", source)(decoded, lengthAt) as (part: string, rows: Row[]) => void;
  return ({ parts }) => {
    const found: Row[] = [];
    for (const part of parts) addRows(part, found);
    return found;
  };
}

/** Statements that add the rows of a text of messages, one after the other. NULL has the length -1. */
function sourceOfParts(fields: Fields): string {
  const columns = fields.map(
    (_, at) => `length = lengthAt(part, at); at += ${LENGTH_BYTES};
      let c${at} = null;
      if (length >= 0) { c${at} = part.slice(at, at + length); at += length; }`,
  );
  return `let length = 0;
    for (let at = 0; at < part.length; ) {
      at += ${ROW_HEAD_BYTES};
      ${columns.join("\n")}
      rows.push(${literalOf(fields)});
    }`;
}

type Fields = TextRows["columns"]["fields"];

function literalOf(fields: Fields): string {
  const members = fields.flatMap(({ name, dataTypeID }, at) => {
    if (name === HEAD_COLUMN) return [];
    const text = `c${at}`;
    const value = CONVERSIONS.get(dataTypeID)?.(text) ?? `decoded(${text})`;
    return [`${JSON.stringify(name)}: ${value === text ? text : `${text} === null ? null : ${value}`}`];
  });
  return `({ ${members.join(", ")} })`;
}

/** The length in four characters, each of which is a byte. Negative for NULL. */
function lengthAt(part: string, at: number): number {
  return (
    (part.charCodeAt(at) << 24) |
    (part.charCodeAt(at + 1) << 16) |
    (part.charCodeAt(at + 2) << 8) |
    part.charCodeAt(at + 3)
  );
}

const NOT_ASCII = /[\x80-\xff]/;

/** The text of UTF-8 that has a character for each byte. */
function decoded(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, "latin1").toString() : text;
}
