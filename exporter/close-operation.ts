import type pg from "pg";
import { messageOf } from "../core/errors.ts";
import type { Logger } from "../core/logger.ts";
import type { FileStore } from "./files/file-store.ts";
import { parseCheckpoint } from "./job/checkpoint.ts";
import { exportedFile, failOperation, type Operation, type Reason } from "./operations.ts";

export interface CloseDeps {
  readonly store: FileStore;
  readonly lifetimeSeconds: number;
  readonly nowSeconds: () => number;
  readonly logger: Logger;
}

/**
 * Ends an operation without a file: deletes what attempts have left, and records the failure unless it has ended already. For
 * a cancelled operation, the message says that it was cancelled, and `reason` is ignored.
 */
export async function closeOperation(
  { store, lifetimeSeconds, nowSeconds, logger }: CloseDeps,
  client: pg.ClientBase | pg.Pool,
  operation: Operation,
  reason: Reason | null,
): Promise<void> {
  const { operationId } = operation;
  const state = parseCheckpoint(operation.checkpoint)?.store ?? null;
  // If that fails, the operation ends nevertheless.
  await store.remove(exportedFile(operation), state).catch((error: unknown) => {
    logger.warn({ err: error, operationId }, `files of an export could not be deleted: ${messageOf(error)}`);
  });
  if (operation.status !== "RUNNING") return;
  const end = await failOperation(client, operation, reason, { nowSeconds: nowSeconds(), lifetimeSeconds });
  if (end)
    logger.info({ operationId, ...end }, operation.isCancelled ? "an export was cancelled" : "an export has failed");
}
