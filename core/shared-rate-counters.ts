import pg from "pg";
import type { Logger } from "./logger.ts";
import { type CountedUnits, createLocalCounters, type LocalCounters, type RateCounters } from "./rate-counters.ts";

export interface SharedCountersOptions {
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly nowMs?: () => number;
  /** Length of a window; that of the limits that are counted. */
  readonly windowMs?: number;
  /** Pause between two exchanges. */
  readonly syncMs?: number;
}

/** Ordered, so that two processes that add to the same rows at once wait for each other instead of deadlocking. */
const ADD = `
  INSERT INTO rate_usage AS known (caller, window_number, units)
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[]) ORDER BY 1, 2
  ON CONFLICT (caller, window_number) DO UPDATE SET units = known.units + EXCLUDED.units
  RETURNING caller, window_number::float8 AS window, units::float8 AS units`;
const FORGET = "DELETE FROM rate_usage WHERE window_number < $1";

/**
 * Counters that all processes on the database share: counted in memory, brought together in the background at most once a
 * second. While the database is away each process goes on counting alone. Dispose to send the rest and close.
 */
export function startSharedCounters(options: SharedCountersOptions): RateCounters & AsyncDisposable {
  const { databaseUrl, logger, nowMs = Date.now, windowMs = 60_000, syncMs = 1_000 } = options;
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    application_name: "moraine limits",
    connectionTimeoutMillis: 5_000,
  });
  pool.on("error", (error) => logger.warn({ err: error }, "the database connection of the rate limits broke"));
  const counters = createLocalCounters();
  let forgotten = 0;
  const exchange = async () => {
    const window = Math.floor(nowMs() / windowMs);
    await exchangeOnce(pool, counters, window, logger);
    if (forgotten < window) await forget(pool, window, logger);
    forgotten = window;
  };
  const stop = repeat(exchange, syncMs);
  return {
    add: counters.add,
    async [Symbol.asyncDispose]() {
      await stop();
      await exchange();
      await pool.end();
    },
  };
}

async function exchangeOnce(pool: pg.Pool, counters: LocalCounters, window: number, logger: Logger): Promise<void> {
  const counted = counters.take(window);
  if (counted.length === 0) return;
  try {
    const values = [
      counted.map((one) => one.caller),
      counted.map((one) => one.window),
      counted.map((one) => one.units),
    ];
    counters.learn((await pool.query<CountedUnits>(ADD, values)).rows);
  } catch (error) {
    counters.restore(counted);
    logger.warn({ err: error }, "the rate limits of this process are counted alone: the database did not take them");
  }
}

/** A window's rows are of no use after it; the one before is kept for processes whose clock is a little behind. */
async function forget(pool: pg.Pool, window: number, logger: Logger): Promise<void> {
  await pool
    .query(FORGET, [window - 1])
    .catch((error: unknown) => logger.debug({ err: error }, "old rate limits stay"));
}

/** Runs the task again and again with a pause in between, until stopped; stopping waits for the run under way. */
function repeat(task: () => Promise<void>, pauseMs: number): () => Promise<void> {
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();
  const plan = () => {
    timer = setTimeout(() => {
      running = task().then(plan);
    }, pauseMs).unref();
  };
  plan();
  return async () => {
    await running;
    clearTimeout(timer);
  };
}
