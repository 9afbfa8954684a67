import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { withResolvers } from "../async/with-resolvers.ts";
import type { Logger } from "../observability/logger.ts";
import { createOutageLog } from "../observability/outage-log.ts";
import { runOutsideRequests } from "../observability/request-id.ts";
import { openSession, urlOf } from "./postgres/connect.ts";
import { channelName } from "./postgres/schema-names.ts";

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 10_000;
/** A connection that was lost silently is found by a query that gets no answer. */
const HEARTBEAT_MS = 15_000;

export interface ListenerOptions {
  /** Name of the channel: see `channelName`. */
  readonly channel: string;
  /** What the notifications are about, for log lines and the name of the database session, such as `new blocks`. */
  readonly about: string;
  /** Called with the payload of each notification. Any client of the database can notify, so it may be invalid. */
  readonly onPayload: (payload: string) => void;
  /**
   * Called when the connection listens: after `start`, and again after the connection was lost and restored. It reads what
   * may have changed meanwhile. If it rejects, the connection is opened again.
   */
  readonly onListening: (client: pg.ClientBase) => Promise<void>;
  /** Called when the connection is lost or cannot be opened: at most half a minute after notifications can no longer arrive. */
  readonly onLost?: () => void;
}

/** Listens on a channel with one connection of its own, which it restores when it is lost. */
export interface Listener extends AsyncDisposable {
  /** Opens the connection. Further calls do nothing. */
  start(): void;
}

/** Takes the connection settings from `pool`, but opens a connection of its own. */
export function createListener(pool: pg.Pool, logger: Logger, options: ListenerOptions): Listener {
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  return {
    start() {
      running ??= runOutsideRequests(() => keepListening(pool, logger, options, stop.signal));
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

async function keepListening(pool: pg.Pool, logger: Logger, options: ListenerOptions, stop: AbortSignal) {
  let retryMs = FIRST_RETRY_MS;
  const outage = createOutageLog({ logger, subject: `the connection for notifications of ${options.about}` });
  while (!stop.aborted) {
    try {
      await listenUntilLost(pool, options, stop, () => {
        retryMs = FIRST_RETRY_MS;
        outage.succeeded();
      });
    } catch (error) {
      options.onLost?.();
      outage.failedBy(error);
    }
    await sleep(retryMs, undefined, { signal: stop }).catch(() => {});
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  }
}

/** Resolves when `stop` is aborted, rejects when the connection is lost. `onConnected` is called once it listens. */
async function listenUntilLost(
  pool: pg.Pool,
  { channel, about, onPayload, onListening }: ListenerOptions,
  stop: AbortSignal,
  onConnected: () => void,
): Promise<void> {
  const { connectionTimeoutMillis, query_timeout } = pool.options;
  const client = await openSession(urlOf(pool), {
    connectionTimeoutMillis,
    query_timeout,
    keepAlive: true,
    application_name: `moraine: ${about}`,
  });
  const { promise: ended, resolve: onStop, reject: onLoss } = withResolvers();
  client.on("error", onLoss);
  client.on("end", () => onLoss(new Error("the connection ended")));
  client.on("notification", ({ payload }) => onPayload(payload ?? ""));
  stop.addEventListener("abort", onStop, { once: true });
  if (stop.aborted) onStop();
  let heartbeat: NodeJS.Timeout | undefined;
  try {
    const { rows } = await client.query<{ name: string }>(`SELECT ${channelName(channel)} AS name`);
    await client.query(`LISTEN ${client.escapeIdentifier(rows[0]?.name ?? channel)}`);
    await onListening(client);
    onConnected();
    heartbeat = setInterval(() => client.query("SELECT 1").catch(onLoss), HEARTBEAT_MS);
    await ended;
  } finally {
    clearInterval(heartbeat);
    stop.removeEventListener("abort", onStop);
    await client.end().catch(() => {});
  }
}
