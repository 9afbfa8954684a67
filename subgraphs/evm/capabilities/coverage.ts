import { Failure } from "../../../core/errors.ts";

/** What is known of the call trees of some blocks of a chain. */
export interface TraceCoverage {
  /** Why the chain has none; null where it has them. */
  readonly offBecause: string | null;
  /** First and last block without them; null where none lacks them. */
  readonly firstUntraced: string | null;
  readonly lastUntraced: string | null;
  /** Why the node refused those of a block; null where it is not known to have. */
  readonly untracedBecause: string | null;
}

const reasonWhere = (isOn: string): string => `SELECT coalesce(reason, 'traces are off') FROM chain_capabilities
    WHERE chain_id = $1 AND capability = 'traces' AND ${isOn}`;

/** Whether a block of a chain is without its call trees. Ranges do not overlap: only the last that begins by then may hold it. */
export function isUntraced(chainId: string, blockNumber: string): string {
  return `coalesce((SELECT to_block FROM untraced_ranges WHERE chain_id = ${chainId} AND from_block <= ${blockNumber}
    ORDER BY from_block DESC LIMIT 1) >= ${blockNumber}, false)`;
}

/**
 * One row, the coverage of the chain `$1` from block `start` to before block `end`, to be joined to what is asked: a page
 * must not say that there is nothing where nobody looked. Reads no more than the first and the last range.
 */
export function traceCoverage(start: string, end: string): string {
  const ranges = "FROM untraced_ranges WHERE chain_id = $1 AND from_block";
  return `SELECT CASE WHEN "lastUntraced" IS NULL THEN NULL WHEN ${isUntraced("$1", start)} THEN ${start}
        ELSE (SELECT from_block ${ranges} > ${start} ORDER BY from_block LIMIT 1) END AS "firstUntraced",
      "lastUntraced", (${reasonWhere("NOT is_on")}) AS "offBecause",
      (${reasonWhere("is_on AND reason IS NOT NULL")}) AS "untracedBecause"
    FROM (SELECT (SELECT CASE WHEN to_block >= ${start} THEN least(to_block, ${end} - 1) END
        ${ranges} < ${end} AND ${start} < ${end} ORDER BY from_block DESC LIMIT 1) AS "lastUntraced") l`;
}

/** Throws `NOT_FOUND` where the chain has no call trees, `UNAVAILABLE` where some of the blocks lack them. */
export function requireTraces(chainId: string, coverage: TraceCoverage): void {
  const { offBecause, firstUntraced, lastUntraced, untracedBecause } = coverage;
  if (offBecause !== null)
    throw new Failure("NOT_FOUND", `internal transactions of chain ${chainId} are not served: ${offBecause}`);
  if (firstUntraced === null || lastUntraced === null) return;
  const why = untracedBecause === null ? "" : ` (${untracedBecause})`;
  throw new Failure(
    "UNAVAILABLE",
    `internal transactions of chain ${chainId} are missing in blocks from ${firstUntraced} to ${lastUntraced}${why}: ` +
      `\`npm run backfill -- --chain ${chainId} --capability traces\` brings them, from a node that keeps these states`,
  );
}

/** What to say when no creation of a contract is found: which ones nobody looked for. Empty when all are known. */
export function unknownCreations({ offBecause, firstUntraced, lastUntraced }: TraceCoverage): string {
  if (offBecause !== null) return `; contracts made by contracts may be unknown: ${offBecause}`;
  if (firstUntraced === null) return "";
  return `; contracts made by contracts in blocks from ${firstUntraced} to ${lastUntraced} are not known yet`;
}
