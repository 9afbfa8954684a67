import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { messageOf } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { OPERATIONS_CHANNEL, type OperationNotification } from "../../core/operations.ts";
import { openConnection } from "./connection.ts";

const RECONNECT_MS = 500;

export interface OperationChangesOptions {
  readonly databaseUrl: string;
  /** Name of the connection. It is shown in `pg_stat_activity`. */
  readonly name: string;
  readonly logger: Logger;
  /** What does not happen while the connection is lost, for the log. */
  readonly consequence: string;
  /** Called for each change of an operation. */
  onChange(change: OperationNotification): Promise<void>;
  /** Called at the start, and when changes may have been missed. */
  onConnected(): Promise<void>;
}

/** Listens for changes of operations. The connection is opened again when it is lost. */
export function watchOperationChanges(options: OperationChangesOptions): AsyncDisposable {
  const end = new AbortController();
  const watch = async () => {
    while (!end.signal.aborted) {
      await listenOnce(options, end.signal).catch((error: unknown) => {
        if (!end.signal.aborted) options.logger.warn({ err: error }, `${options.consequence}: ${messageOf(error)}`);
      });
      await sleep(RECONNECT_MS, null, { signal: end.signal }).catch(() => {});
    }
  };
  const watching = watch();
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await watching;
    },
  };
}

/** Listens until the connection is lost, whose reason is thrown, or until `end`. */
async function listenOnce(options: OperationChangesOptions, end: AbortSignal): Promise<void> {
  const { databaseUrl, name, logger, onChange, onConnected } = options;
  await using connection = await openConnection(databaseUrl, name);
  const handle = async (payload: string) => onChange(JSON.parse(payload) as OperationNotification);
  connection.client.on("notification", ({ payload = "" }) => {
    handle(payload).catch((error: unknown) => {
      logger.warn({ err: error }, `a change of an operation could not be handled: ${messageOf(error)}`);
    });
  });
  await connection.client.query(`LISTEN ${pg.escapeIdentifier(OPERATIONS_CHANNEL)}`);
  await onConnected();
  const ended = AbortSignal.any([connection.lost, end]);
  if (!ended.aborted) await new Promise((resolve) => ended.addEventListener("abort", resolve, { once: true }));
  if (!end.aborted) throw connection.lost.reason;
}
