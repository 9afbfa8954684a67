import type pg from "pg";
import { repeat } from "../async/repeat.ts";
import { runLimited } from "../database/limited-statements.ts";
import { createPool } from "../database/postgres/connect.ts";
import type { Logger } from "../observability/logger.ts";
import { createOutageLog } from "../observability/outage-log.ts";
import {
  type CountedUnits,
  createWindowCounters,
  type RateCounters,
  WINDOW_NAMES,
  WINDOW_SECONDS,
  type WindowName,
} from "./rate-counters.ts";

export interface SharedCountersOptions {
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly nowMs?: () => number;
  /** Pause between two exchanges that nothing else causes. Default: one second. */
  readonly syncMs?: number;
}

/** Callers near their limit wait for an exchange, so it must not take long. */
const TIMEOUT_MS = 2_000;

/** The rows are ordered, so that processes that update the same rows wait for each other and do not deadlock. */
const ADD = `
  INSERT INTO rate_usage AS known (caller, window_seconds, window_number, units)
  SELECT * FROM unnest($1::text[], $2::int[], $3::bigint[], $4::bigint[]) ORDER BY 1, 2, 3
  ON CONFLICT (caller, window_seconds, window_number) DO UPDATE SET units = known.units + EXCLUDED.units
  RETURNING caller, window_seconds AS seconds, window_number::float8 AS window, units::float8 AS units`;
/** Past windows except the last one, which processes with a slower clock may still use. */
const DELETE_OLD = "DELETE FROM rate_usage WHERE window_seconds = $1 AND window_number < $2 - 1";

interface SumRow extends CountedUnits {
  readonly seconds: number;
}

type Counters = Readonly<Record<WindowName, ReturnType<typeof createWindowCounters>>>;

/**
 * Counters that all processes of a database share. They count in memory and exchange their sums through the database about
 * once a second, and when `exchange` is called. While the database is not available, each process counts alone. Disposing
 * them sends the rest.
 */
export function startSharedCounters(options: SharedCountersOptions): RateCounters & AsyncDisposable {
  const { databaseUrl, logger, nowMs = Date.now, syncMs = 1_000 } = options;
  const pool = createPool(databaseUrl, {
    max: 1,
    application_name: "moraine limits",
    connectionTimeoutMillis: TIMEOUT_MS,
  });
  pool.on("error", (error) => logger.debug({ err: error }, "the database connection of the rate limits was lost"));
  const counters = { minute: createWindowCounters(), day: createWindowCounters() };
  const outage = createOutageLog({ logger, subject: "the exchange of rate limits between processes" });
  let isConnected = true;
  let deletedMinute = 0;
  const exchangeNow = async () => {
    isConnected = await exchangeOnce(pool, counters, nowMs()).then(
      () => true,
      (error: unknown) => {
        outage.failedBy(error);
        return false;
      },
    );
    if (isConnected) outage.succeeded();
    const minute = windowAt("minute", nowMs());
    if (!isConnected || deletedMinute >= minute) return;
    deletedMinute = minute;
    await deleteOldWindows(pool, nowMs(), logger);
  };
  const exchange = oneAtATime(exchangeNow);
  const stop = repeat(exchange, syncMs);
  return {
    ...counters,
    exchange: () => (isConnected ? exchange() : null),
    async [Symbol.asyncDispose]() {
      await stop();
      await exchange();
      await pool.end();
    },
  };
}

/** The number of the window of that length. */
const windowAt = (name: WindowName, ms: number): number => Math.floor(ms / 1_000 / WINDOW_SECONDS[name]);

/** Sends what was counted and sets the sums. If it fails, what was counted is sent with the next exchange. */
async function exchangeOnce(pool: pg.Pool, counters: Counters, ms: number): Promise<void> {
  const counted = WINDOW_NAMES.map((name) => ({ name, units: counters[name].take(windowAt(name, ms)) }));
  const rows = counted.flatMap(({ name, units }) => units.map((one) => ({ ...one, seconds: WINDOW_SECONDS[name] })));
  if (rows.length === 0) return;
  try {
    const values = [
      rows.map((one) => one.caller),
      rows.map((one) => one.seconds),
      rows.map((one) => one.window),
      rows.map((one) => one.units),
    ];
    const sums = (await runLimited(pool, TIMEOUT_MS, (client) => client.query<SumRow>(ADD, values))).rows;
    for (const name of WINDOW_NAMES)
      counters[name].setSums(sums.filter(({ seconds }) => seconds === WINDOW_SECONDS[name]));
  } catch (error) {
    for (const { name, units } of counted) counters[name].restore(units);
    throw error;
  }
}

async function deleteOldWindows(pool: pg.Pool, ms: number, logger: Logger): Promise<void> {
  for (const name of WINDOW_NAMES)
    await runLimited(pool, TIMEOUT_MS, (client) =>
      client.query(DELETE_OLD, [WINDOW_SECONDS[name], windowAt(name, ms)]),
    ).catch((error: unknown) => logger.debug({ err: error }, "the rate limits of past windows could not be deleted"));
}

/** Calls during a run share one run after it, which includes what was counted before these calls. */
function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= running.then(() => {
      running = next as Promise<void>;
      next = null;
      return run();
    });
    return next;
  };
}
