import pg from "pg";
import type { Texts } from "./text-connection.ts";
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

/**
 * Compiles a function that makes an object of a row: `0x` hex for bytes, numbers for INT and FLOAT, text for larger numbers. The object is
 * a literal in generated code, because the driver takes several times as long to set one property after the other.
 */
export function compileRows<Row>({ fields, isLatin1 }: TextRows): (texts: Texts) => Row {
  const asText = (text: string): string => (isLatin1 ? `decoded(${text})` : text);
  const unchanged = (text: string): string => text;
  const members = fields.map(({ name, dataTypeID }, at) => {
    const text = `row[${at}]`;
    const convert = isLatin1 && dataTypeID === builtins.BYTEA ? unchanged : (CONVERSIONS.get(dataTypeID) ?? asText);
    const value = convert(text);
    return `${JSON.stringify(name)}: ${value === text ? text : `${text} === null ? null : ${value}`}`;
  });
  return new Function("decoded", `return (row) => ({ ${members.join(", ")} });`)(decoded) as (texts: Texts) => Row;
}

const NOT_ASCII = /[\x80-\xff]/;

/** The text of UTF-8 that has a character for each byte. */
function decoded(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, "latin1").toString() : text;
}
