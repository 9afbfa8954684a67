import type { Session } from "../../../shared/writer.ts";
import { KEYS, type MutableTable, type RowOf, TABLES, type Table } from "./columns.ts";
import { encoders } from "./encode-rows.ts";

export const columnNames = (table: Table): string[] => ["network_id", ...Object.keys(TABLES[table])];

/** Inserts rows with COPY. Rejects if one exists already. */
export async function copyRows(
  session: Session,
  networkId: number,
  table: Table,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  await session.copy(
    table,
    columnNames(table),
    rows.map((row) => encodedRow(networkId, table, row)),
  );
}

/** Inserts rows, or replaces those with the same key. */
export async function upsertRows(
  session: Session,
  networkId: number,
  table: MutableTable,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = columnNames(table);
  await session.query(
    `INSERT INTO ${table} (${columns.join(", ")})
     SELECT ${columns.join(", ")} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)
     ON CONFLICT (network_id, ${KEYS[table]}) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    [rowsAsJson(networkId, table, rows)],
  );
}

/** Rows as the JSON parameter of `jsonb_populate_recordset`. */
export function rowsAsJson(networkId: number, table: Table, rows: readonly object[]): string {
  const columns = columnNames(table);
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(encodedRow(networkId, table, row).map((text, i) => [columns[i], text]))),
  );
}

function encodedRow(networkId: number, table: Table, row: object): (string | null)[] {
  return [String(networkId), ...encoders[table](row as Readonly<Record<string, unknown>>)];
}

/** Converts a value as PostgreSQL's driver returns it, by the type of its column; other types need no conversion. */
const DECODERS: Readonly<Record<string, (value: never) => unknown>> = {
  int: (value: string | number) => BigInt(value),
  bytes: (value: Buffer) => value.toString("hex"),
  "bytes[]": (values: readonly Buffer[]) => values.map((value) => value.toString("hex")),
};

/** Reads rows of the network. `where` is SQL: a condition, and an order if needed. */
export async function loadRows<Name extends MutableTable>(
  session: Session,
  table: Name,
  networkId: number,
  where: string,
): Promise<RowOf<Name>[]> {
  const columns = Object.entries(TABLES[table]) as [string, string][];
  const rows = await session.query<Record<string, never>>(
    `SELECT ${columns.map(([name]) => name).join(", ")} FROM ${table} WHERE network_id = $1 AND ${where}`,
    [networkId],
  );
  return rows.map((row) => {
    const entries = columns.map(([name, type]) => {
      const value = row[name];
      const decode = DECODERS[type.replace("?", "")];
      return [name, value === null || !decode ? value : decode(value as never)];
    });
    return Object.fromEntries(entries) as RowOf<Name>; // the table's columns, by their types
  });
}
