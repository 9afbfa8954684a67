import pg from "pg";
import { LENGTH_BYTES, ROW_HEAD_BYTES, type Texts } from "./text-connection.ts";
import type { TextRows } from "./text-query.ts";

const { builtins } = pg.types;

/** JavaScript that converts the text of a column, which is not null, by the type of the column. */
const CONVERSIONS = new Map<number, (text: string) => string>([
  [builtins.BYTEA, (text) => `'0x' + ${text}.slice(2)`],
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
export function headOf({ fields, parts, rows }: Pick<TextRows, "fields" | "parts" | "rows">): string | null {
  const column = fields.findIndex(({ name }) => name === HEAD_COLUMN);
  const [row] = rows;
  if (row) return row[column] ?? null;
  const [part = ""] = parts;
  let at = ROW_HEAD_BYTES;
  for (let before = 0; before < column && part !== ""; before++) at += LENGTH_BYTES + Math.max(lengthAt(part, at), 0);
  const length = part === "" ? -1 : lengthAt(part, at);
  return length < 0 ? null : part.slice(at + LENGTH_BYTES, at + LENGTH_BYTES + length);
}

/** Makes objects of the rows of a result. All results must have the same columns, and be of the same kind of client. */
export type ToRows<Row> = (result: Pick<TextRows, "parts" | "rows">) => Row[];

/**
 * Compiles a function that makes an object of each row: `0x` hex for bytes, numbers for INT and FLOAT, text for larger numbers. The object
 * is a literal in generated code, because the driver takes several times as long to set one property after the other.
 */
export function compileRows<Row>({ fields, rows }: Pick<TextRows, "fields" | "rows">): ToRows<Row> {
  if (rows.length > 0) {
    const toRow = compiled<(texts: Texts) => Row>(
      "row",
      `return ${literalOf(fields, (at) => `row[${at}]`, convertedText)};`,
    );
    return (result) => result.rows.map(toRow);
  }
  const addRows = compiled<(part: string, rows: Row[]) => void>("part, rows", sourceOfParts(fields));
  return ({ parts }) => {
    const found: Row[] = [];
    for (const part of parts) addRows(part, found);
    return found;
  };
}

/** Statements that add the rows of a text of messages, one after the other. NULL has the length -1. */
function sourceOfParts(fields: TextRows["fields"]): string {
  const columns = fields.map(
    (_, at) => `length = lengthAt(part, at); at += ${LENGTH_BYTES};
      let c${at} = null;
      if (length >= 0) { c${at} = part.slice(at, at + length); at += length; }`,
  );
  const literal = literalOf(fields, (at) => `c${at}`, convertedLatin1);
  return `let length = 0;
    for (let at = 0; at < part.length; ) {
      at += ${ROW_HEAD_BYTES};
      ${columns.join("\n")}
      rows.push(${literal});
    }`;
}

type Fields = TextRows["fields"];
type Convert = (text: string, type: number) => string;

const convertedText: Convert = (text, type) => CONVERSIONS.get(type)?.(text) ?? text;

const convertedLatin1: Convert = (text, type) => {
  if (type === builtins.BYTEA) return text;
  return CONVERSIONS.get(type)?.(text) ?? `decoded(${text})`;
};

function literalOf(fields: Fields, textOf: (at: number) => string, convert: Convert): string {
  const members = fields.flatMap(({ name, dataTypeID }, at) => {
    if (name === HEAD_COLUMN) return [];
    const text = textOf(at);
    const value = convert(text, dataTypeID);
    return [`${JSON.stringify(name)}: ${value === text ? text : `${text} === null ? null : ${value}`}`];
  });
  return `({ ${members.join(", ")} })`;
}

function compiled<Compiled>(parameters: string, body: string): Compiled {
  const source = `return (${parameters}) => { ${body} };`;
  return new Function("decoded", "lengthAt", source)(decoded, lengthAt) as Compiled;
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
