import type { Check } from "../check.ts";
import type { HealthClock } from "../clock.ts";
import { goDuration } from "../go-text.ts";
import type { IndexedChain } from "../indexed-chains.ts";
import type { Indexing, IndexingRow } from "../indexing.ts";

/** Longer, and an index that does not move behind its node's head stands still, and an indexer that writes nothing is away. */
const MOST_QUIET_NS = 120_000_000_000n;
const QUIET = goDuration(MOST_QUIET_NS);

/** Passes while the chain is indexed: by an indexer that runs, waits for nothing, and moves when it is behind its node. */
export function chainCheck(chain: IndexedChain, indexing: Indexing, clock: HealthClock): Check {
  const stillnesses = [createStillness(clock), createStillness(clock)];
  return async () => {
    const rows = await indexing.read();
    const { parts } = chain;
    const problems = parts.flatMap((part, i) => {
      const row = rows.get(part);
      const problem = row ? problemOf(row, stillnesses[i]?.(row) ?? false) : "nothing is indexed yet";
      return problem === null ? [] : [i === 0 ? problem : `atomic transactions: ${problem}`];
    });
    const row = rows.get(parts[0] ?? "");
    return {
      ...(row ? { message: messageOf(row) } : {}),
      ...(problems.length === 0 ? {} : { error: problems.join("; ") }),
    };
  };
}

/** Tells whether rows that are behind have not moved for too long. */
function createStillness(clock: HealthClock): (row: IndexingRow) => boolean {
  let behindAt: string | null = null;
  let sinceNs = 0n;
  return ({ position, lag }) => {
    const nowNs = clock.nowNs();
    if (position !== behindAt) sinceNs = nowNs;
    behindAt = lag === 0 ? null : position;
    return behindAt !== null && nowNs - sinceNs > MOST_QUIET_NS;
  };
}

function problemOf({ state, reason, height, silentSeconds }: IndexingRow, isStill: boolean): string | null {
  if (state === "STOPPED") return `indexing stopped: ${reason}`;
  if (state === "WAITING") return `indexing waits: ${reason}`;
  // Rows that are made again begin with long statements.
  if (reason !== null) return null;
  if (BigInt(silentSeconds) * 1_000_000_000n > MOST_QUIET_NS)
    return `the indexer has said nothing for more than ${QUIET}`;
  return isStill ? `indexing stands still at height ${height ?? -1}, behind its node, for more than ${QUIET}` : null;
}

function messageOf({ height, blockId, head, lag, state, reason }: IndexingRow): object {
  return {
    engine: { consensus: height === null ? {} : { lastAcceptedHeight: height, lastAcceptedID: blockId } },
    indexing: { height, head, lag, state, ...(reason === null ? {} : { reason }) },
  };
}
