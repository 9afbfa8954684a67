import pg from "pg";
import { messageOf } from "../../core/errors/errors.ts";
import type { Logger } from "../../core/observability/logger.ts";

/** How often changed states are written. Longer with many rows, so that at most 250 rows are written in a second. */
const WRITE_INTERVAL_MS = 500;
const MS_PER_ROW = 4;
/** Class of SQLSTATE of a value that PostgreSQL refuses. */
const REFUSED_VALUE = /^22/;

/** Table and key of the row in which a chain's progress is stored. */
export type ProgressRow =
  | { readonly table: "chain_progress"; readonly key: { readonly chain_id: string } }
  | { readonly table: "primary_progress"; readonly key: { readonly network_id: string; readonly chain: string } };

/** What the row has of a state. */
interface StoredState {
  readonly state: string;
  readonly reason: string | null;
  readonly nodeBlockNumber: number | null;
  readonly fetchedBlockNumber: number | null;
  readonly blocksPerSecond: number;
  readonly nodes?: readonly object[];
  readonly headSeenAt: number | null;
}

/** A state that is kept in memory and written to its row. */
interface StoredProgress {
  readonly row: ProgressRow;
  /** The state that is to be written now; null if it has not changed since the last call. */
  take(): StoredState | null;
  /** The state could not be written. It must be taken again. */
  failed(error: unknown): void;
}

/** Writes the states of all chains of a process, in one statement for each table. */
export interface ProgressRows {
  /** Writes the state when it has changed, until the result is disposed, and then a last time. */
  keep(progress: StoredProgress): AsyncDisposable;
  /** Writes all changed states at once, after the running write. */
  write(): Promise<void>;
}

export function createProgressRows(pool: pg.Pool, logger: Pick<Logger, "debug">): ProgressRows {
  const kept = new Set<StoredProgress>();
  let timer: NodeJS.Timeout | null = null;
  const writeAll = async (): Promise<void> => {
    const changed: Changed[] = [];
    for (const progress of kept) {
      const state = progress.take();
      if (state) changed.push({ progress, state });
    }
    for (const table of ["chain_progress", "primary_progress"] as const) {
      const failed = await writeRows(
        pool,
        table,
        changed.filter(({ progress }) => progress.row.table === table),
      );
      for (const { progress, error } of failed) {
        logger.debug({ ...progress.row.key, reason: messageOf(error) }, "the progress could not be written");
        progress.failed(error);
      }
    }
  };
  const write = oneAfterAnother(writeAll);
  const writeLater = () => {
    if (timer || kept.size === 0) return;
    timer = setTimeout(
      async () => {
        await write();
        timer = null;
        writeLater();
      },
      Math.max(WRITE_INTERVAL_MS, kept.size * MS_PER_ROW),
    ).unref();
  };
  return {
    keep(progress) {
      kept.add(progress);
      writeLater();
      return {
        async [Symbol.asyncDispose]() {
          await write();
          kept.delete(progress);
        },
      };
    },
    write,
  };
}

/** Runs a task again after the running one, so that an older write never replaces a newer one. At most one run waits. */
function oneAfterAnother(task: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= running.then(() => {
      next = null;
      running = task();
      return running;
    });
    return next;
  };
}

interface Changed {
  readonly progress: StoredProgress;
  readonly state: StoredState;
}

interface Unwritten extends Changed {
  readonly error: unknown;
}

/** Returns what was not written. A value that PostgreSQL refuses keeps no other row from being written. */
async function writeRows(pool: pg.Pool, table: ProgressRow["table"], rows: readonly Changed[]): Promise<Unwritten[]> {
  if (rows.length === 0) return [];
  try {
    await pool.query({ name: `write-${table}`, text: UPSERTS[table], values: [JSON.stringify(rows.map(valuesOf))] });
    return [];
  } catch (error) {
    const isRefused = error instanceof pg.DatabaseError && REFUSED_VALUE.test(error.code ?? "");
    if (!isRefused || rows.length === 1) return rows.map((row) => ({ ...row, error }));
    const half = rows.length >> 1;
    return [
      ...(await writeRows(pool, table, rows.slice(0, half))),
      ...(await writeRows(pool, table, rows.slice(half))),
    ];
  }
}

function valuesOf({ progress, state }: Changed): object {
  return {
    ...progress.row.key,
    state: state.state,
    reason: state.reason,
    node_block_number: state.nodeBlockNumber,
    fetched_block_number: state.fetchedBlockNumber,
    blocks_per_second: state.blocksPerSecond,
    nodes: state.nodes ?? [],
    head_seen_at: state.headSeenAt,
  };
}

const UPSERTS: Readonly<Record<ProgressRow["table"], string>> = {
  chain_progress: upsertOf("chain_progress", ["chain_id"]),
  primary_progress: upsertOf("primary_progress", ["network_id", "chain"]),
};

function upsertOf(table: ProgressRow["table"], keys: readonly string[]): string {
  const replaced = ["state", "reason", "node_block_number", "fetched_block_number", "blocks_per_second", "nodes"];
  const names = [...keys, ...replaced, "head_seen_at"];
  return `INSERT INTO ${table} (${names.join(", ")}, updated_at)
    SELECT ${names.join(", ")}, extract(epoch FROM now())::bigint FROM json_populate_recordset(NULL::${table}, $1)
    ON CONFLICT (${keys.join(", ")}) DO UPDATE
      SET ${[...replaced, "updated_at"].map((name) => `${name} = excluded.${name}`).join(", ")},
        head_seen_at = coalesce(excluded.head_seen_at, ${table}.head_seen_at)`;
}
