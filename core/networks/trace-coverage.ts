import { Failure } from "../errors/errors.ts";

/** Which blocks of a range are traced. A block is traced if the call trees of its transactions are indexed. */
export interface TraceCoverage {
  /** Why tracing is off for the chain; null if it is on. */
  readonly offReason: string | null;
  /** First and last block of the range that are not traced; null if all are traced. */
  readonly firstUntraced: string | null;
  readonly lastUntraced: string | null;
  /** Why the node did not return the traces of one of these blocks; null if it was not asked for them. */
  readonly refusalReason: string | null;
  /** True if the indexer requests the traces of some of these blocks again by itself. */
  readonly isRetried: boolean;
}

const reasonWhere = (isOn: string): string => `SELECT coalesce(reason, 'traces are off') FROM chain_capabilities
    WHERE chain_id = $1 AND capability = 'traces' AND ${isOn}`;

/**
 * SQL condition: the block is not traced. Ranges do not overlap, so only the last range that starts at or before the block
 * can contain it.
 */
export function isUntraced(chainId: string, blockNumber: string): string {
  return `coalesce((SELECT to_block FROM untraced_ranges WHERE chain_id = ${chainId} AND from_block <= ${blockNumber}
    ORDER BY from_block DESC LIMIT 1) >= ${blockNumber}, false)`;
}

/**
 * SELECT of one row: the trace coverage of chain `$1` from block `start` (inclusive) to block `end` (exclusive). Lists join it, so that a
 * page of blocks that are not traced fails instead of being empty. It reads the first and the last range only. `OFFSET 0` keeps PostgreSQL
 * from computing them again for each use.
 */
export function traceCoverage(start: string, end: string): string {
  const ranges = "FROM untraced_ranges WHERE chain_id = $1 AND from_block";
  const range = `SELECT CASE WHEN "lastUntraced" IS NULL THEN NULL WHEN ${isUntraced("$1", start)} THEN ${start}
        ELSE (SELECT from_block ${ranges} > ${start} ORDER BY from_block LIMIT 1) END AS "firstUntraced", "lastUntraced"
    FROM (SELECT (SELECT CASE WHEN to_block >= ${start} THEN least(to_block, ${end} - 1) END
        ${ranges} < ${end} AND ${start} < ${end} ORDER BY from_block DESC LIMIT 1) AS "lastUntraced") l`;
  return `SELECT "firstUntraced", "lastUntraced", (${reasonWhere("NOT is_on")}) AS "offReason",
      coalesce((SELECT reason FROM trace_retries WHERE chain_id = $1 AND block_number >= "firstUntraced"
          AND block_number <= "lastUntraced" ORDER BY block_number LIMIT 1),
        (${reasonWhere("is_on AND reason IS NOT NULL")})) AS "refusalReason",
      EXISTS (SELECT FROM trace_retries WHERE chain_id = $1 AND block_number >= "firstUntraced"
        AND block_number <= "lastUntraced" AND due_at IS NOT NULL) AS "isRetried"
    FROM (${range} OFFSET 0) r`;
}

/**
 * Throws `NOT_FOUND` if tracing is off for the chain, `UNAVAILABLE` if blocks of the range are not traced; the message names them. `alternative` ends
 * the message if tracing is off.
 */
export function requireTraces(chainId: string, coverage: TraceCoverage, alternative = ""): void {
  const { offReason, firstUntraced, lastUntraced, refusalReason, isRetried } = coverage;
  if (offReason !== null)
    throw new Failure(
      "NOT_FOUND",
      `internal transactions of chain ${chainId} are not served: ${offReason}${alternative}`,
    );
  if (firstUntraced === null || lastUntraced === null) return;
  const reason = refusalReason === null ? "" : ` (${refusalReason})`;
  const command = `\`moraine backfill traces --chain ${chainId}\` adds them`;
  const remedy = isRetried
    ? `the indexer requests them again; ${command} at once if the node returns them`
    : `${command} if the node still has the states of these blocks`;
  throw new Failure(
    "UNAVAILABLE",
    `internal transactions of chain ${chainId} are missing in blocks from ${firstUntraced} to ${lastUntraced}${reason}: ${remedy}`,
  );
}

/** End of the message that a contract's creation was not found: which creations may be missing. Empty if none is. */
export function missingCreations({ offReason, firstUntraced, lastUntraced }: TraceCoverage): string {
  if (offReason !== null) return `; contracts created by contracts are not indexed: ${offReason}`;
  if (firstUntraced === null) return "";
  return `; contracts created by contracts in blocks from ${firstUntraced} to ${lastUntraced} are not indexed yet`;
}
