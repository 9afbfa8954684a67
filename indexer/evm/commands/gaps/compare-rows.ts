import { createHash } from "node:crypto";
import { pgBytes } from "../../../shared/pg-bytes.ts";
import { type CopiedRow, rowColumns } from "../../../shared/table-rows.ts";
import type { Session } from "../../../shared/writer.ts";
import type { BlockRange } from "../../block-range.ts";
import type { Table } from "../../decode/tables.ts";

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

export type ComparedTable = Table | "erc20_balances";

export interface RowsToCompare<Name extends ComparedTable = ComparedTable> {
  readonly table: Name;
  /** By block number; blocks without rows may be absent. */
  readonly expected: ReadonlyMap<number, readonly CopiedRow<Name>[]>;
  /** The blocks whose stored rows are compared. */
  readonly within: BlockRange;
}

/** Compares stored rows with the expected ones by a hash over all columns. One SELECT. */
export async function compareRows(
  session: Session,
  chainId: string,
  { table, expected, within }: RowsToCompare,
): Promise<Difference[]> {
  const columns = rowColumns(table);
  const names = columns.map(({ column }) => column);
  const found = new Map<number, string[]>();
  // `textOf` writes bytes in this format, whatever the server's setting is.
  await session.query("SET LOCAL bytea_output = hex");
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

const hashOf = (columns: ReturnType<typeof rowColumns>, row: object): string =>
  createHash("md5")
    .update(columns.map(({ column, type }) => textOf(type, (row as Record<string, unknown>)[column])).join("|"))
    .digest("hex");

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
