import { createHash } from "node:crypto";
import type { Session } from "../../../shared/writer.ts";
import type { Row } from "../../decode/columns.ts";
import type { BlockRange } from "../../store/untraced-ranges.ts";

/** A block whose rows of a table are not those that its raw block gives. */
export interface Difference {
  readonly blockNumber: number;
  /** Rows that the raw block gives, and rows that are there. */
  readonly expected: number;
  readonly found: number;
  /** Those of the latter that it does not give. */
  readonly wrong: number;
}

export interface Compared {
  readonly table: string;
  readonly columns: readonly string[];
  /** By block number; none of other blocks. */
  readonly expected: ReadonlyMap<number, readonly Row[]>;
  /** Blocks whose rows are looked at. */
  readonly within: BlockRange;
}

/** Compares rows with those that should be there, value for value: by a fingerprint of each. One statement. */
export async function compareRows(
  session: Session,
  chainId: string,
  { table, columns, expected, within }: Compared,
): Promise<Difference[]> {
  const found = new Map<number, string[]>();
  // As the decoders write it, whatever the server is set to.
  await session.query("SET LOCAL bytea_output = hex");
  const rows = await session.query<{ block_number: string; print: string }>(
    `SELECT block_number, md5(format('${columns.map(() => "%s").join("|")}', ${columns.join(", ")})) AS print
     FROM ${table} WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3`,
    [chainId, within.from, within.to],
  );
  for (const { block_number, print } of rows) {
    const ofBlock = found.get(Number(block_number)) ?? [];
    if (ofBlock.length === 0) found.set(Number(block_number), ofBlock);
    ofBlock.push(print);
  }
  const numbers = [...new Set([...expected.keys(), ...found.keys()])].sort((one, other) => one - other);
  return numbers.flatMap((number) => difference(number, expected.get(number) ?? [], found.get(number) ?? []));
}

/** As `format` writes a row: nothing for NULL. */
const printOf = (row: Row): string =>
  createHash("md5")
    .update(row.map((value) => value ?? "").join("|"))
    .digest("hex");

function difference(blockNumber: number, expected: readonly Row[], found: readonly string[]): Difference[] {
  const missing = new Map<string, number>();
  for (const print of expected.map(printOf)) missing.set(print, (missing.get(print) ?? 0) + 1);
  let wrong = 0;
  for (const print of found) {
    const left = missing.get(print) ?? 0;
    if (left === 0) wrong++;
    else missing.set(print, left - 1);
  }
  const isSame = wrong === 0 && found.length === expected.length;
  return isSame ? [] : [{ blockNumber, expected: expected.length, found: found.length, wrong }];
}
