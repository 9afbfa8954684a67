import type pg from "pg";
import { namedRows } from "../database/named-balances.ts";
import type { FactRow } from "./fact-row.ts";
import { FACT_TABLES, type Facts, type FactTable } from "./facts-oracle.ts";

/** Columns that do not come from blocks: later answers of contracts and servers. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  erc20_tokens: ["metadata_status", "name", "symbol", "decimals"],
  nft_contracts: ["metadata_status", "name", "symbol"],
  nft_items: ["metadata_state"],
};

const BOOLEAN_OID = 16;
const AS_TEXT = {
  getTypeParser: (oid: number) => (text: string) => (oid === BOOLEAN_OID ? String(text === "t") : asFact(text)),
} as unknown as pg.CustomTypesConfig;

/** A column's value in the oracle's form. */
export function asFact(text: string): string {
  return text.startsWith("\\x") ? `0x${text.slice(2)}` : text;
}

/** Every row of a chain's table, with the columns that come from blocks. */
export async function indexedRows(pool: pg.Pool, table: string, chainId: number): Promise<FactRow[]> {
  const text = `SELECT * FROM ${namedRows(table)} t WHERE chain_id = $1`;
  const { rows } = await pool.query<Record<string, string | null>>({ text, values: [chainId], types: AS_TEXT });
  for (const row of rows) for (const column of LEFT_OUT[table] ?? []) delete row[column];
  return rows;
}

/** The rows of all tables of the oracle. */
export async function indexedFacts(pool: pg.Pool, chainId: number): Promise<Facts> {
  const facts: Partial<Record<FactTable, FactRow[]>> = {};
  for (const table of FACT_TABLES) facts[table] = await indexedRows(pool, table, chainId);
  return facts as Facts;
}

/** Rows that only one of two lists has, for any order of rows and columns. */
export function difference(
  expected: readonly FactRow[],
  actual: readonly FactRow[],
): { readonly missing: readonly FactRow[]; readonly extra: readonly FactRow[] } {
  return { missing: without(expected, actual), extra: without(actual, expected) };
}

/** Compares lists, not sets: a row that is twice in `rows` and once in `others` remains once. */
function without(rows: readonly FactRow[], others: readonly FactRow[]): FactRow[] {
  const counts = new Map<string, number>();
  for (const row of others) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return rows.filter((row) => {
    const count = counts.get(keyOf(row)) ?? 0;
    counts.set(keyOf(row), count - 1);
    return count <= 0;
  });
}

const keyOf = (row: FactRow): string => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
