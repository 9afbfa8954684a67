import { setTimeout as sleep, setImmediate as yieldToEventLoop } from "node:timers/promises";
import type pg from "pg";

/**
 * Runs statements on a connection of the pool. If they take longer than `limitMs`, closes the connection and rejects. Unlike the
 * setting `query_timeout` of pg, this counts no time in which the event loop was held: the answer may have arrived meanwhile.
 */
export async function runLimited<Result>(
  pool: pg.Pool,
  limitMs: number,
  run: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  // If the connection is lost, its statements fail. Without a listener, the event would end the process.
  client.on("error", ignore);
  try {
    const result = await withinFreeTime(run(client), limitMs);
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  } finally {
    client.off("error", ignore);
  }
}

function ignore(): void {}

/** Number of timers that share the limit. */
const STEPS = 4;

async function withinFreeTime<Result>(work: Promise<Result>, limitMs: number): Promise<Result> {
  const done = new AbortController();
  try {
    return await Promise.race([work, rejectAfter(limitMs, done.signal)]);
  } finally {
    done.abort();
  }
}

/** However long the event loop is held, only the timer that waits at that time fires late, and what arrives is read after each. */
async function rejectAfter(limitMs: number, signal: AbortSignal): Promise<never> {
  for (let step = 0; step < STEPS; step++) {
    await sleep(limitMs / STEPS, undefined, { signal, ref: false });
    await yieldToEventLoop();
  }
  throw new Error(`the database has not answered within ${limitMs} ms`);
}
