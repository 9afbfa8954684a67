import { type Database, prepared } from "../../../core/database.ts";
import { Failure } from "../../../core/errors.ts";
import { formatId } from "../../../core/id-text.ts";
import { isLate } from "./checks/database.ts";
import type { Subnets } from "./subnets.ts";
import { withinLimit } from "./time-limit.ts";

/** How far the indexer is with the rows of a key. Numbers of blocks are null where they are not known, or nothing is indexed. */
export interface IndexingRow {
  readonly state: "BACKFILLING" | "FOLLOWING" | "WAITING" | "STOPPED";
  /** Why it waits or stopped, or makes the rows again. */
  readonly reason: string | null;
  readonly height: number | null;
  /** CB58 of the block at that height. */
  readonly blockId: string | null;
  /** Of the node when the indexer asked last. */
  readonly head: number | null;
  /** Blocks between the two. */
  readonly lag: number | null;
  /** Grows with everything that is taken in. */
  readonly position: string;
  /** Since the indexer wrote last. */
  readonly silentSeconds: number;
}

/**
 * Rows by the keys of `indexed-chains.ts`, and with them the subnets that were not known. Who asks while they are read gets
 * what is read; fails with `UNAVAILABLE`, in its time.
 */
export interface Indexing {
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
  readonly journalSeq: string | null;
  readonly silentSeconds: string;
}

const COLUMNS = `p.state, p.reason, p.node_block_number AS "head", p.fetched_block_number AS "fetched",
    nullif(h.block_number, -1) AS "height", h.block_hash AS "blockHash", h.journal_seq AS "journalSeq",
    extract(epoch FROM now())::bigint - p.updated_at AS "silentSeconds"`;

const ROWS = `SELECT p.chain_id::text AS "key", ${COLUMNS}
    FROM chain_progress p LEFT JOIN chain_heads h USING (chain_id)
  UNION ALL SELECT p.network_id || '/' || p.chain, ${COLUMNS}
    FROM primary_progress p LEFT JOIN primary_heads h USING (network_id, chain)`;

export function createIndexing(
  { pool }: Pick<Database, "pool">,
  subnets: Pick<Subnets, "look">,
  timeLimitMs: number,
): Indexing {
  const rows = prepared<Row>(pool, "health-indexing", ROWS);
  let reading: Promise<ReadonlyMap<string, IndexingRow>> | null = null;
  const read = async () => {
    try {
      const [read] = await Promise.all([rows([]), subnets.look()]);
      return new Map(read.map((row) => [row.key, indexingRow(row)]));
    } catch (error) {
      throw isLate(error) ? noAnswer() : error;
    }
  };
  const shared = () => {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };
  return { read: () => withinLimit(shared, timeLimitMs, () => Promise.reject(noAnswer())) };
}

const noAnswer = () => new Failure("UNAVAILABLE", "the database does not answer");

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));

function indexingRow({ state, reason, blockHash, silentSeconds, ...row }: Row): IndexingRow {
  const [height, head] = [numberOf(row.height), numberOf(row.head)];
  return {
    state,
    reason,
    height,
    head,
    silentSeconds: Number(silentSeconds),
    blockId: height === null || blockHash === null ? null : formatId(blockHash.slice(2)),
    lag: head === null ? null : Math.max(0, head - (height ?? -1)),
    position: `${row.fetched} ${row.height} ${row.journalSeq}`,
  };
}

/** Blocks behind its node's head up to which an index keeps up. */
export const MOST_LAG_BLOCKS = 100;

/** True when rows are at the node's head, or were nearly there when the node was lost: whoever starts then still has all there is. */
export function isAtHead({ state, lag, height }: IndexingRow): boolean {
  if (state === "FOLLOWING" || state === "BACKFILLING") return state === "FOLLOWING";
  return height !== null && lag !== null && lag <= MOST_LAG_BLOCKS;
}
