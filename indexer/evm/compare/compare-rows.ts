import { createHash } from "node:crypto";
import { pgBytes } from "../../shared/pg-bytes.ts";
import { type CopiedRow, rowColumns } from "../../shared/table-rows.ts";
import type { Session } from "../../shared/writer.ts";
import type { BlockRange } from "../block-range.ts";
import type { Table } from "../decode/tables.ts";
import { type Example, MAX_EXAMPLE_CHARACTERS, NO_ROW } from "./example.ts";

/** A block whose stored rows of a table differ from the rows that are computed from its raw block. */
export interface Difference {
  readonly blockNumber: number;
  /** Number of rows that are computed from the raw block. */
  readonly expected: number;
  /** Number of stored rows. */
  readonly found: number;
  /** Number of stored rows that differ from every computed row. */
  readonly wrong: number;
}

/** `textOf` writes bytes in this format, whatever the server's setting is. */
export const HEX_BYTES = "SET LOCAL bytea_output = hex";

export type ComparedTable = Table | "erc20_balances";

export interface RowsToCompare<Name extends ComparedTable = ComparedTable> {
  readonly table: Name;
  /** By block number; blocks without rows may be absent. */
  readonly expected: ReadonlyMap<number, readonly CopiedRow<Name>[]>;
  /** The blocks whose stored rows are compared. */
  readonly within: BlockRange;
}

/**
 * Compares stored rows with the expected ones by a hash over all columns. One SELECT. The transaction must have `HEX_BYTES`.
 */
export async function compareRows(
  session: Pick<Session, "query">,
  chainId: string,
  { table, expected, within }: RowsToCompare,
): Promise<Difference[]> {
  const columns = rowColumns(table);
  const names = columns.map(({ column }) => column);
  const found = new Map<number, string[]>();
  const rows = await session.query<{ block_number: string; hash: string }>(
    `SELECT block_number, md5(format('${names.map(() => "%s").join("|")}', ${names.join(", ")})) AS hash
     FROM ${table} WHERE chain_id = $1 AND block_number BETWEEN $2::bigint AND $3::bigint`,
    [chainId, within.from, within.to],
  );
  for (const { block_number, hash } of rows) {
    const hashes = found.get(Number(block_number)) ?? [];
    if (hashes.length === 0) found.set(Number(block_number), hashes);
    hashes.push(hash);
  }
  const numbers = [...new Set([...expected.keys(), ...found.keys()])].sort((one, other) => one - other);
  return numbers.flatMap((number) =>
    differenceOf(
      number,
      (expected.get(number) ?? []).map((row) => hashOf(columns, row)),
      found.get(number) ?? [],
    ),
  );
}

/** The primary key of a table, without columns that its index only includes. */
const KEY = `SELECT a.attname AS column FROM pg_index i JOIN pg_attribute a
    ON a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])
  WHERE i.indrelid = to_regclass($1) AND i.indisprimary`;

/**
 * One of the rows of a block that differ, with the columns that differ: a stored row that is wrong or surplus, or else a row that is missing.
 * Two statements.
 */
export async function rowExample(
  session: Pick<Session, "query">,
  chainId: string,
  { table, expected }: RowsToCompare,
  blockNumber: number,
): Promise<Example> {
  const columns = rowColumns(table);
  const names = columns.map(({ column }) => column);
  const keyColumns = (await session.query<{ column: string }>(KEY, [table])).map(({ column }) => column);
  const isKey = names.map((name) => keyColumns.includes(name));
  const found = await session.query<{ texts: string[] }>(
    `SELECT ARRAY[${names.map((name) => `format('%s', ${name})`).join(", ")}] AS texts
     FROM ${table} WHERE chain_id = $1 AND block_number = $2::bigint`,
    [chainId, blockNumber],
  );
  const wanted = (expected.get(blockNumber) ?? []).map((row) => textsOf(columns, row));
  const stored = found.map(({ texts }) => texts);
  const isIn = (rows: readonly string[][], row: readonly string[]) => rows.some((one) => areEqual(one, row));
  const missing = wanted.filter((row) => !isIn(stored, row));
  const wrong = stored.find((row) => !isIn(wanted, row)) ?? null;
  const hasKeyOf = (one: readonly string[], other: readonly string[]) =>
    one.every((text, i) => !isKey[i] || text === other[i]);
  const right = wrong ? (missing.find((row) => hasKeyOf(row, wrong)) ?? null) : (missing[0] ?? null);
  const written = (row: readonly string[] | null, isShown: (i: number) => boolean) =>
    row ? names.flatMap((name, i) => (isShown(i) ? `${name}=${row[i]}` : [])).join(", ") : NO_ROW;
  const isDifferent = (i: number) => !isKey[i] && wrong?.[i] !== right?.[i];
  return {
    key: written(wrong ?? right, (i) => isKey[i] ?? false),
    indexed: written(wrong, isDifferent).slice(0, MAX_EXAMPLE_CHARACTERS),
    expected: written(right, isDifferent).slice(0, MAX_EXAMPLE_CHARACTERS),
  };
}

const areEqual = (one: readonly string[], other: readonly string[]): boolean =>
  one.every((text, i) => text === other[i]);

const hashOf = (columns: ReturnType<typeof rowColumns>, row: object): string =>
  createHash("md5").update(textsOf(columns, row).join("|")).digest("hex");

const textsOf = (columns: ReturnType<typeof rowColumns>, row: object): string[] =>
  columns.map(({ column, type }) => textOf(type, (row as Record<string, unknown>)[column]));

/** As PostgreSQL's `format` writes a value: nothing for NULL. */
function textOf(type: string, value: unknown): string {
  if (value === null) return "";
  if (type === "bytea") return pgBytes(String(value));
  return type === "boolean" ? String(value).slice(0, 1) : String(value);
}

/** Takes the hashes of rows. */
function differenceOf(blockNumber: number, expected: readonly string[], found: readonly string[]): Difference[] {
  const missing = new Map<string, number>();
  for (const hash of expected) missing.set(hash, (missing.get(hash) ?? 0) + 1);
  let wrong = 0;
  for (const hash of found) {
    const left = missing.get(hash) ?? 0;
    if (left === 0) wrong++;
    else missing.set(hash, left - 1);
  }
  const isEqual = wrong === 0 && found.length === expected.length;
  return isEqual ? [] : [{ blockNumber, expected: expected.length, found: found.length, wrong }];
}
