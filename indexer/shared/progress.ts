import type pg from "pg";
import { messageOf } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";

export type ChainState = "BACKFILLING" | "FOLLOWING" | "WAITING" | "STOPPED";

/** What is known of a chain's indexing at a moment. */
export interface ProgressState {
  readonly state: ChainState;
  /** Why it waits or stopped, or makes its rows again; null while it moves. Callers read it. */
  readonly reason: string | null;
  /** What the log says beside the reason, which callers read. */
  readonly detail?: string | null;
  readonly nodeBlockNumber: number | null;
  readonly fetchedBlockNumber: number | null;
  /** When the node's head was last seen to be the last indexed block, in seconds; null: not yet. */
  readonly headSeenAt: number | null;
  readonly blockNumber: number;
  readonly blocksPerSecond: number;
}

/** Where the progress of a chain is written: the row of a table with this key. */
export type ProgressRow =
  | { readonly table: "chain_progress"; readonly key: { readonly chain_id: string } }
  | { readonly table: "primary_progress"; readonly key: { readonly network_id: string; readonly chain: string } };

/** The progress of one chain, for the terminal and for the graph. */
export interface Progress extends AsyncDisposable {
  readonly name: string;
  readonly current: ProgressState;
  update(change: Partial<ProgressState>): void;
}

const WRITE_INTERVAL_MS = 500;
const RATE_WINDOW_MS = 5_000;

/** Keeps the state in memory and writes it to its row: a new state or reason at once, all else twice a second. A failed write is only logged. */
export function createProgress(pool: pg.Pool, row: ProgressRow, name: string, logger: Logger): Progress {
  const { chain_id: chainId, network_id: networkId, chain }: Readonly<Record<string, string>> = row.key;
  const named = chainId === undefined ? { networkId, chain } : { chainId };
  const statement = { name: `write-${row.table}`, text: upsertOf(row) };
  let current: ProgressState = {
    state: "BACKFILLING",
    reason: null,
    detail: null,
    nodeBlockNumber: null,
    fetchedBlockNumber: null,
    headSeenAt: null,
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
    const { state, reason, nodeBlockNumber, fetchedBlockNumber, blocksPerSecond, headSeenAt } = current;
    try {
      const values = [
        ...Object.values(row.key),
        state,
        reason,
        nodeBlockNumber,
        fetchedBlockNumber,
        blocksPerSecond,
        headSeenAt,
      ];
      await pool.query({ ...statement, values });
    } catch (error) {
      logger.debug({ ...named, reason: messageOf(error) }, "progress could not be written");
      dirty = true;
    }
  }

  return {
    name,
    get current() {
      return current;
    },
    update(change) {
      const { state, reason, detail } = current;
      // A detail is of its reason.
      current = { ...current, ...(change.reason === undefined ? {} : { detail: null }), ...change };
      dirty = true;
      if (current.state === state && current.reason === reason && current.detail === detail) return;
      report(logger, named, current);
      void writeInTurn();
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await writeInTurn();
    },
  };
}

const COLUMNS = ["state", "reason", "node_block_number", "fetched_block_number", "blocks_per_second"] as const;

function upsertOf({ table, key }: ProgressRow): string {
  const keys = Object.keys(key);
  const names = [...keys, ...COLUMNS, "head_seen_at"];
  return `INSERT INTO ${table} (${names.join(", ")}, updated_at)
    VALUES (${names.map((_, i) => `$${i + 1}`).join(", ")}, extract(epoch FROM now())::bigint)
    ON CONFLICT (${keys.join(", ")}) DO UPDATE
      SET ${[...COLUMNS, "updated_at"].map((name) => `${name} = excluded.${name}`).join(", ")},
        head_seen_at = coalesce(excluded.head_seen_at, ${table}.head_seen_at)`;
}

function report(logger: Logger, named: object, progress: ProgressState): void {
  const { state, reason, detail, blockNumber, nodeBlockNumber } = progress;
  const line = { ...named, state, blockNumber, nodeBlockNumber, ...(reason && { reason }), ...(detail && { detail }) };
  if (state === "STOPPED") logger.error(line, "the chain stopped");
  else if (state === "WAITING") logger.warn(line, "the chain waits");
  else logger.info(line, "the chain moves");
}
