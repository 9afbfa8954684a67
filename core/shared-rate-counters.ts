import pg from "pg";
import type { Logger } from "./logger.ts";
import { type CountedUnits, createLocalCounters, type LocalCounters, type RateCounters } from "./rate-counters.ts";

export interface SharedCountersOptions {
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly nowMs?: () => number;
  /** Length of a window, which must be that of the rate limits. Default: one minute. */
  readonly windowMs?: number;
  /** Pause between two exchanges with the database. Default: one second. */
  readonly syncMs?: number;
}

/** The rows are ordered, so that processes that update the same rows wait for each other and do not deadlock. */
const ADD = `
  INSERT INTO rate_usage AS known (caller, window_number, units)
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[]) ORDER BY 1, 2
  ON CONFLICT (caller, window_number) DO UPDATE SET units = known.units + EXCLUDED.units
  RETURNING caller, window_number::float8 AS window, units::float8 AS units`;
const DELETE_OLD = "DELETE FROM rate_usage WHERE window_number < $1";

/**
 * Counters that all processes of a database share. They count in memory and exchange their sums through the database about
 * once a second. While the database is not available, each process counts alone. Disposing them sends the rest.
 */
export function startSharedCounters(options: SharedCountersOptions): RateCounters & AsyncDisposable {
  const { databaseUrl, logger, nowMs = Date.now, windowMs = 60_000, syncMs = 1_000 } = options;
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    application_name: "moraine limits",
    connectionTimeoutMillis: 5_000,
  });
  pool.on("error", (error) => logger.warn({ err: error }, "the database connection of the rate limits was lost"));
  const counters = createLocalCounters();
  let deletedWindow = 0;
  const exchange = async () => {
    const window = Math.floor(nowMs() / windowMs);
    await exchangeOnce(pool, counters, window, logger);
    if (deletedWindow < window) await deleteOldWindows(pool, window, logger);
    deletedWindow = window;
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
    counters.setSums((await pool.query<CountedUnits>(ADD, values)).rows);
  } catch (error) {
    counters.restore(counted);
    logger.warn({ err: error }, "the database is not available: rate limits count only the requests of this process");
  }
}

/** Deletes past windows except the last one, which processes with a slower clock may still use. */
async function deleteOldWindows(pool: pg.Pool, window: number, logger: Logger): Promise<void> {
  await pool
    .query(DELETE_OLD, [window - 1])
    .catch((error: unknown) => logger.debug({ err: error }, "the rate limits of past windows could not be deleted"));
}

/** Runs the task repeatedly with a pause in between. The returned function stops this and waits for the current run. */
function repeat(task: () => Promise<void>, pauseMs: number): () => Promise<void> {
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();
  const schedule = () => {
    timer = setTimeout(() => {
      running = task().then(schedule);
    }, pauseMs).unref();
  };
  schedule();
  return async () => {
    await running;
    clearTimeout(timer);
  };
}
