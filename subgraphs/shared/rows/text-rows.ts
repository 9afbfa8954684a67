import { type TableName, tableColumns } from "../../../core/database/table-columns.ts";
import type { Prisma } from "../../../prisma/client/client.ts";
import { RENAMED } from "../../../prisma/columns.ts";

type Text<Value> = Value extends bigint | Uint8Array | Prisma.Decimal
  ? string
  : Value extends readonly (infer Item)[]
    ? Text<Item>[]
    : Value;

/** A row as stores return it, however it was read: bytes as `0x` hex, BIGINT, NUMERIC and block numbers as decimal text. */
export type TextRow<Row> = { [Name in keyof Row]: Name extends "blockNumber" ? string : Text<Row[Name]> };

/** Largest value of a BIGINT column. Lists in descending order start below it. */
export const MAX_BIGINT = "9223372036854775807";

/** The columns of fields whose name is not the column's in camel case. Block numbers have 4 or 8 bytes. */
const COLUMN_NAMES: Readonly<Record<string, string>> = {
  ...RENAMED,
  blockNumber: "block_number::bigint",
  erc20Token: "token_address",
};

/** SELECT list of these fields of `Row`, each column under the field's name. Block numbers become text in all tables. */
export const columns = <Row>(...names: readonly (keyof Row & string)[]): string =>
  names.map((field) => selected(field, snakeCase(field))).join(", ");

/** The same of all columns of a table but those of the fields `without`. */
export const allColumns = (table: TableName, without: readonly string[] = []): string =>
  tableColumns(table)
    .filter(({ field }) => !without.includes(field))
    .map(({ field, column }) => selected(field, column))
    .join(", ");

const selected = (field: string, column: string): string => `${COLUMN_NAMES[field] ?? column} AS "${field}"`;

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Converts a row that Prisma read to the form that prepared statements return. */
export function textRow<Row extends object>(row: Row): TextRow<Row> {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    name === "blockNumber" ? String(value) : textOf(value),
  ]);
  return Object.fromEntries(entries) as TextRow<Row>;
}

function textOf(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) return value.map(textOf);
  // `toString` of Prisma's Decimal writes values of 1e21 and more with an exponent; `toFixed` does not.
  return typeof value === "object" && value !== null ? (value as Prisma.Decimal).toFixed() : value;
}

/** Converts `0x` hex to the BYTEA parameter of a statement. */
export const bytea = (hex: string): string => `\\x${hex.slice(2)}`;

/** Converts `0x` hex values to the BYTEA[] parameter of a statement. */
export function byteaArray(hexes: Iterable<string>): string {
  const quoted: string[] = [];
  for (const hex of hexes) quoted.push(`"\\\\x${hex.slice(2)}"`);
  return `{${quoted.join(",")}}`;
}

/** Converts `0x` hex to bytes as Prisma takes them. */
export const bytes = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(hex.slice(2), "hex"));

/** Converts a non-negative decimal text to a BIGINT parameter. A value above the type's range becomes `MAX_BIGINT`. */
export const bigint = (quantity: string): string => (BigInt(quantity) > BigInt(MAX_BIGINT) ? MAX_BIGINT : quantity);
