import type { Prisma } from "../../prisma/client/client.ts";

type Text<Value> = Value extends bigint | Uint8Array | Prisma.Decimal ? string : Value;

/** A row as stores give it, whichever way it was read: bytes as `0x` hex, BIGINT and NUMERIC as decimal text. */
export type TextRow<Row> = { [Name in keyof Row]: Text<Row[Name]> };

/** Greatest value of a BIGINT column: in a page's first position, after every row. */
export const MAX_BIGINT = "9223372036854775807";

const RENAMED: Readonly<Record<string, string>> = {
  from: "from_address",
  to: "to_address",
  erc20Token: "token_address",
  operator: "operator_address",
  creator: "creator_address",
  messenger: "messenger_address",
  originSender: "origin_sender_address",
};

/** SELECT list of these columns of `Row` under their names in the API. */
export function columns<Row>(...names: readonly (keyof Row & string)[]): string {
  return names.map((name) => `${RENAMED[name] ?? snakeCase(name)} AS "${name}"`).join(", ");
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A row of Prisma's as hot statements would give it. */
export function textRow<Row extends object>(row: Row): TextRow<Row> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)])) as TextRow<Row>;
}

function textOf(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString("hex")}`;
  // Prisma's Decimal prints exponents above 1e21 unless asked not to.
  return typeof value === "object" && value !== null ? (value as Prisma.Decimal).toFixed() : value;
}

/** `0x` hex as a statement's BYTEA parameter. */
export const bytea = (hex: string): string => `\\x${hex.slice(2)}`;

/** `0x` hexes as a statement's BYTEA[] parameter. */
export function byteaArray(hexes: Iterable<string>): string {
  const quoted: string[] = [];
  for (const hex of hexes) quoted.push(`"\\\\x${hex.slice(2)}"`);
  return `{${quoted.join(",")}}`;
}

/** `0x` hex as Prisma takes bytes. */
export const bytes = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(hex.slice(2), "hex"));

/** A non-negative decimal text as a BIGINT parameter; what is greater than any row becomes the greatest. */
export const bigint = (quantity: string): string => (BigInt(quantity) > BigInt(MAX_BIGINT) ? MAX_BIGINT : quantity);
