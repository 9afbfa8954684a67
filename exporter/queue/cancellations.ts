import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { messageOf } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { OPERATIONS_CHANNEL, type OperationNotification } from "../../core/operations.ts";
import { openConnection } from "../job/connection.ts";

const RECONNECT_MS = 500;

export interface CancellationOptions {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly logger: Logger;
  /** Called for each operation that is cancelled. */
  onCancelled(operationId: string): Promise<void>;
  /** Called when notifications may have been missed. */
  onReconnected(): Promise<void>;
}

/** Listens for operations that are cancelled. The connection is opened again when it is lost. */
export function watchCancellations(options: CancellationOptions): AsyncDisposable {
  const end = new AbortController();
  const watch = async () => {
    while (!end.signal.aborted) {
      await listenOnce(options, end.signal).catch((error: unknown) => {
        if (!end.signal.aborted)
          options.logger.warn({ err: error }, `cancelled exports are not noticed at once: ${messageOf(error)}`);
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
async function listenOnce(options: CancellationOptions, end: AbortSignal): Promise<void> {
  const { databaseUrl, logger } = options;
  await using connection = await openConnection(databaseUrl, "moraine export cancellations");
  connection.client.on("notification", ({ payload = "" }) => {
    handle(options, payload).catch((error: unknown) => {
      logger.warn({ err: error }, `a notification was not understood: ${messageOf(error)}`);
    });
  });
  await connection.client.query(`LISTEN ${pg.escapeIdentifier(OPERATIONS_CHANNEL)}`);
  await options.onReconnected();
  const ended = AbortSignal.any([connection.lost, end]);
  if (!ended.aborted) await new Promise((resolve) => ended.addEventListener("abort", resolve, { once: true }));
  if (!end.aborted) throw connection.lost.reason;
}

async function handle({ pool, onCancelled }: CancellationOptions, payload: string): Promise<void> {
  const { operationId } = JSON.parse(payload) as OperationNotification;
  const text = "SELECT FROM operations WHERE operation_id = $1 AND is_cancelled";
  const { rowCount } = await pool.query(text, [operationId]);
  if (rowCount === 1) await onCancelled(operationId);
}
