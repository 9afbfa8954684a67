import { onceAtATime } from "../../../../core/async/once.ts";
import { type Database, prepared } from "../../../../core/database/database.ts";
import { isTimeout } from "../../../../core/database/database-errors.ts";
import { Failure } from "../../../../core/errors/errors.ts";
import { formatId } from "../../../../core/formats/id-text.ts";
import { SERVICE_WORK } from "../../../../core/work/work.ts";
import { withinLimit } from "../runner/time-limit.ts";
import type { Subnets } from "./subnets.ts";

/** Progress of the indexer for one key. Block numbers are null if unknown, or if nothing is indexed. */
export interface IndexingRow {
  readonly state: "BACKFILLING" | "FOLLOWING" | "WAITING" | "STOPPED";
  /** Why the indexer waits, has stopped, or rebuilds the rows. */
  readonly reason: string | null;
  readonly height: number | null;
  /** Block id at that height, in CB58. */
  readonly blockId: string | null;
  /** Height of the node's last block when the indexer last asked. */
  readonly head: number | null;
  /** Number of blocks after `height` up to `head`, at least 0. Null if `head` is unknown. */
  readonly lag: number | null;
  /** Changes whenever the indexer has fetched or written something. */
  readonly position: string;
  /** Seconds since the indexer last updated the row. */
  readonly silentSeconds: number;
  /** Last block of the last comparison of samples that found no difference; null if there was none. */
  readonly verifiedHeight: number | null;
  /** Whether the last comparison has found a difference. */
  readonly isDiffering: boolean;
}

/**
 * Reads the progress rows by the keys of `indexed-chains.ts`, and refreshes unknown subnets. Concurrent callers share one
 * read. Throws `UNAVAILABLE` if the database does not answer within the time limit.
 */
export interface IndexingProgress {
  read(): Promise<ReadonlyMap<string, IndexingRow>>;
}

interface Row {
  readonly key: string;
  readonly state: IndexingRow["state"];
  readonly reason: string | null;
  readonly head: string | null;
  readonly fetched: string | null;
  readonly height: string | null;
  readonly blockHash: string | null;
  readonly rawSeq: string | null;
  readonly silentSeconds: string;
  readonly verifiedHeight: string | null;
  readonly differingCount: string | null;
}

const COLUMNS = `p.state, p.reason, p.node_block_number AS "head", p.fetched_block_number AS "fetched",
    nullif(h.block_number, -1) AS "height", h.block_hash AS "blockHash", h.raw_seq AS "rawSeq",
    extract(epoch FROM now())::bigint - p.updated_at AS "silentSeconds",
    v.block_number AS "verifiedHeight", v.differing_count AS "differingCount"`;

const ROWS = `SELECT p.chain_id::text AS "key", ${COLUMNS}
    FROM chain_progress p LEFT JOIN chain_heads h USING (chain_id) LEFT JOIN chain_verifications v USING (chain_id)
  UNION ALL SELECT p.network_id || '/' || p.chain, ${COLUMNS}
    FROM primary_progress p LEFT JOIN primary_heads h USING (network_id, chain)
      LEFT JOIN primary_verifications v USING (network_id, chain)`;

export function createIndexingProgress(
  { pool }: Pick<Database, "pool">,
  subnets: Pick<Subnets, "refresh">,
  timeLimitMs: number,
): IndexingProgress {
  const rows = prepared<Row>(pool, "health-indexing", ROWS);
  const shared = onceAtATime(async (): Promise<ReadonlyMap<string, IndexingRow>> => {
    try {
      const [read] = await Promise.all([rows([], SERVICE_WORK), subnets.refresh()]);
      return new Map(read.map((row) => [row.key, indexingRow(row)]));
    } catch (error) {
      throw isTimeout(error) ? noAnswer() : error;
    }
  });
  return {
    read: () => withinLimit(shared, timeLimitMs, () => Promise.reject(noAnswer())),
  };
}

const noAnswer = () => new Failure("UNAVAILABLE", "the database does not answer");

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));

function indexingRow({ state, reason, blockHash, silentSeconds, ...row }: Row): IndexingRow {
  const height = numberOf(row.height);
  const head = numberOf(row.head);
  return {
    state,
    reason,
    height,
    head,
    silentSeconds: Number(silentSeconds),
    verifiedHeight: numberOf(row.verifiedHeight),
    isDiffering: Number(row.differingCount ?? 0) > 0,
    blockId: height === null || blockHash === null ? null : formatId(blockHash.slice(2)),
    lag: head === null ? null : Math.max(0, head - (height ?? -1)),
    position: `${row.fetched} ${row.height} ${row.rawSeq}`,
  };
}

/** Maximum number of blocks that an index may be behind its node's head. */
export const MAX_LAG_BLOCKS = 100;

/** True if the indexer follows the node's head, or if it waits or has stopped at most `MAX_LAG_BLOCKS` behind it. */
export function isAtHead({ state, lag, height }: IndexingRow): boolean {
  if (state === "FOLLOWING" || state === "BACKFILLING") return state === "FOLLOWING";
  return height !== null && lag !== null && lag <= MAX_LAG_BLOCKS;
}
