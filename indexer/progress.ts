import type pg from "pg";
import { messageOf } from "../core/errors.ts";
import type { Logger } from "../core/logger.ts";

export type ChainState = "BACKFILLING" | "FOLLOWING" | "WAITING" | "STOPPED";

/** What is known of a chain's indexing at a moment. */
export interface ProgressState {
  readonly state: ChainState;
  /** Why it waits or stopped; null while it moves. */
  readonly reason: string | null;
  readonly nodeBlockNumber: number | null;
  readonly fetchedBlockNumber: number | null;
  readonly blockNumber: number;
  readonly blocksPerSecond: number;
}

/** The progress of one chain, for the terminal and for the graph. */
export interface Progress extends AsyncDisposable {
  readonly name: string;
  readonly current: ProgressState;
  update(change: Partial<ProgressState>): void;
}

const WRITE_INTERVAL_MS = 500;
const RATE_WINDOW_MS = 5_000;

/** Keeps the state in memory and writes it to `chain_progress`: a new state or reason at once, all else twice a second. A failed write is only logged. */
export function createProgress(pool: pg.Pool, chainId: string, name: string, logger: Logger): Progress {
  let current: ProgressState = {
    state: "BACKFILLING",
    reason: null,
    nodeBlockNumber: null,
    fetchedBlockNumber: null,
    blockNumber: -1,
    blocksPerSecond: 0,
  };
  const samples: { at: number; blockNumber: number }[] = [];
  let dirty = false;
  let writing = Promise.resolve();
  let next: Promise<void> | null = null;
  // One after the other, so that a late write does not undo a later one; and one waiting at most.
  const writeInTurn = (): Promise<void> => {
    next ??= writing.then(() => {
      next = null;
      writing = write();
      return writing;
    });
    return next;
  };
  const timer = setInterval(() => void writeInTurn(), WRITE_INTERVAL_MS);
  timer.unref();

  function rate(): number {
    const now = performance.now();
    samples.push({ at: now, blockNumber: current.blockNumber });
    while ((samples[0]?.at ?? now) < now - RATE_WINDOW_MS) samples.shift();
    const first = samples[0];
    return first && now > first.at
      ? Math.max(0, ((current.blockNumber - first.blockNumber) * 1_000) / (now - first.at))
      : 0;
  }

  async function write(): Promise<void> {
    if (!dirty) return;
    dirty = false;
    current = { ...current, blocksPerSecond: Math.round(rate() * 10) / 10 };
    const { state, reason, nodeBlockNumber, fetchedBlockNumber, blocksPerSecond } = current;
    try {
      await pool.query({
        name: "write-progress",
        text: UPSERT,
        values: [chainId, state, reason, nodeBlockNumber, fetchedBlockNumber, blocksPerSecond],
      });
    } catch (error) {
      logger.debug({ chainId, reason: messageOf(error) }, "progress could not be written");
      dirty = true;
    }
  }

  return {
    name,
    get current() {
      return current;
    },
    update(change) {
      const { state, reason } = current;
      current = { ...current, ...change };
      dirty = true;
      if (current.state === state && current.reason === reason) return;
      report(logger, chainId, current);
      void writeInTurn();
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await writeInTurn();
    },
  };
}

const UPSERT = `INSERT INTO chain_progress
    (chain_id, state, reason, node_block_number, fetched_block_number, blocks_per_second, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, extract(epoch FROM now())::bigint)
  ON CONFLICT (chain_id) DO UPDATE SET state = excluded.state, reason = excluded.reason,
    node_block_number = excluded.node_block_number, fetched_block_number = excluded.fetched_block_number,
    blocks_per_second = excluded.blocks_per_second, updated_at = excluded.updated_at`;

function report(logger: Logger, chainId: string, { state, reason, blockNumber, nodeBlockNumber }: ProgressState): void {
  const line = { chainId, state, blockNumber, nodeBlockNumber, ...(reason ? { reason } : {}) };
  if (state === "STOPPED") logger.error(line, "the chain stopped");
  else if (state === "WAITING") logger.warn(line, "the chain waits");
  else logger.info(line, "the chain moves");
}
