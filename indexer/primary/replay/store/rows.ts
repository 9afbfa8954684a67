import { pgBytes } from "../../../shared/pg-bytes.ts";
import { type CopiedRow, columnNames, copiesOf, rowColumns } from "../../../shared/table-rows.ts";
import type { Session } from "../../../shared/writer.ts";
import { KEYS, type MutableTable, type RowOf, type Table } from "./tables.ts";

/** Inserts rows with COPY. Rejects if one exists already. */
export async function copyRows<Name extends Table>(
  session: Session,
  networkId: number,
  table: Name,
  rows: readonly CopiedRow<Name>[],
): Promise<void> {
  await session.copy(copiesOf(table, networkId, rows));
}

/** Inserts rows, or replaces those with the same key. */
export async function upsertRows(
  session: Session,
  networkId: number,
  table: MutableTable,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  const changed = rowColumns(table).map(({ column }) => column);
  await insertRows(
    session,
    networkId,
    table,
    rows,
    `ON CONFLICT (network_id, ${KEYS[table]}) DO UPDATE SET ${fromInserted(changed)}`,
  );
}

/** Inserts rows without COPY. `rest` is the rest of the statement: what to do if a row exists, and what to return. */
export function insertRows<Returned extends object = never>(
  session: Session,
  networkId: number,
  table: Table,
  rows: readonly object[],
  rest: string,
): Promise<Returned[]> {
  const columns = columnNames(table).join(", ");
  return session.query<Returned>(
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb) ${rest}`,
    [rowsAsJson(networkId, table, rows)],
  );
}

/** Assignments of `ON CONFLICT DO UPDATE`, of the values that were to be inserted. */
export const fromInserted = (columns: readonly string[]): string =>
  columns.map((name) => `${name} = excluded.${name}`).join(", ");

/** PostgreSQL's text cannot hold NUL, and names of chains and assets are arbitrary bytes. */
export const storableText = (text: string): string => text.replaceAll("\0", "\ufffd");

/** Rows as the JSON parameter of `jsonb_populate_recordset`. */
function rowsAsJson(networkId: number, table: Table, rows: readonly object[]): string {
  const bytes = rowColumns(table).filter(({ type }) => type.startsWith("bytea"));
  const withBytes = rows.map((row) => {
    const values = { ...(row as Readonly<Record<string, unknown>>), network_id: networkId };
    return {
      ...values,
      ...Object.fromEntries(bytes.map(({ column }) => [column, bytesOf(values[column as keyof typeof values])])),
    };
  });
  return JSON.stringify(withBytes, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}

/** PostgreSQL's text forms of the bytes in a value. */
const bytesOf = (value: unknown): unknown =>
  typeof value === "string" ? pgBytes(value) : Array.isArray(value) ? value.map(bytesOf) : value;

/** Converts a value as PostgreSQL's driver returns it, by the type of its column; other types need no conversion. */
const INTEGER = (value: string | number) => BigInt(value);
const DECODERS: Readonly<Record<string, (value: never) => unknown>> = {
  bigint: INTEGER,
  integer: INTEGER,
  numeric: INTEGER,
  smallint: INTEGER,
  bytea: (value: Buffer) => value.toString("hex"),
  "bytea[]": (values: readonly Buffer[]) => values.map((value) => value.toString("hex")),
};

/** Reads rows of the network. `where` is SQL: a condition, and an order if needed. */
export async function loadRows<Name extends MutableTable>(
  session: Session,
  table: Name,
  networkId: number,
  where: string,
): Promise<RowOf<Name>[]> {
  const columns = rowColumns(table);
  const rows = await session.query<Record<string, never>>(
    `SELECT ${columns.map(({ column }) => column).join(", ")} FROM ${table} WHERE network_id = $1 AND ${where}`,
    [networkId],
  );
  return rows.map((row) => {
    const entries = columns.map(({ column, type }) => {
      const value = row[column];
      const decode = DECODERS[type];
      return [column, value === null || !decode ? value : decode(value as never)];
    });
    return Object.fromEntries(entries) as RowOf<Name>; // the table's columns, by their types
  });
}
