import type { IndexedChain } from "../indexing/indexed-chains.ts";
import type { IndexingProgress, IndexingRow } from "../indexing/progress.ts";
import type { Check } from "../runner/check.ts";
import type { HealthClock } from "../runner/clock.ts";
import { goDuration } from "../runner/go-format.ts";

/** Maximum time without progress while an index is behind its node, and maximum time without an update of the progress row. */
const MAX_QUIET_NS = 120_000_000_000n;
const QUIET = goDuration(MAX_QUIET_NS);

/**
 * Passes if an indexer of the chain runs, is not waiting, makes progress while it is behind its node, and has found no difference between
 * samples of the rows and the stored blocks or the node. Also passes while the rows are rebuilt.
 */
export function chainCheck(chain: IndexedChain, indexing: Pick<IndexingProgress, "readOf">, clock: HealthClock): Check {
  const stallDetectors = [createStallDetector(clock), createStallDetector(clock)];
  return async () => {
    const { parts } = chain;
    const rows = await indexing.readOf(parts);
    const problems = parts.flatMap((part, i) => {
      const row = rows.get(part);
      const problem = row ? problemOf(row, stallDetectors[i]?.(row) ?? false) : "nothing is indexed yet";
      return problem === null ? [] : [i === 0 ? problem : `atomic transactions: ${problem}`];
    });
    const row = rows.get(parts[0] ?? "");
    return {
      ...(row ? { message: messageOf(row) } : {}),
      ...(problems.length === 0 ? {} : { error: problems.join("; ") }),
    };
  };
}

/** Returns whether an index that is behind its node has made no progress for too long. */
function createStallDetector(clock: HealthClock): (row: IndexingRow) => boolean {
  let behindAt: string | null = null;
  let sinceNs = 0n;
  return ({ position, lag }) => {
    const nowNs = clock.nowNs();
    if (position !== behindAt) sinceNs = nowNs;
    behindAt = lag === 0 ? null : position;
    return behindAt !== null && nowNs - sinceNs > MAX_QUIET_NS;
  };
}

function problemOf(row: IndexingRow, isStalled: boolean): string | null {
  const { state, reason, height, silentSeconds, isDiffering } = row;
  if (state === "STOPPED") return `indexing stopped: ${reason}`;
  if (state === "WAITING") return `indexing waits: ${reason}`;
  // In the other states, a reason means a rebuild of the rows. It begins with statements that can take minutes.
  if (reason !== null) return null;
  if (BigInt(silentSeconds) * 1_000_000_000n > MAX_QUIET_NS)
    return `the indexer has not reported for more than ${QUIET}`;
  if (isStalled)
    return `indexing has not progressed for more than ${QUIET}: at height ${height ?? -1}, behind its node`;
  return isDiffering ? "indexed data differ from the stored blocks or from the node" : null;
}

function messageOf({ height, blockId, head, lag, state, reason, verifiedHeight }: IndexingRow): object {
  return {
    engine: { consensus: height === null ? {} : { lastAcceptedHeight: height, lastAcceptedID: blockId } },
    indexing: {
      height,
      head,
      lag,
      state,
      ...(verifiedHeight === null ? {} : { verifiedHeight }),
      ...(reason === null ? {} : { reason }),
    },
  };
}
