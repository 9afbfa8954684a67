import type pg from "pg";
import { messageOf } from "../../core/errors/errors.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { counterOf } from "../../core/observability/registry.ts";
import type { FileStore } from "../files/file-store.ts";
import { exportedFile, failOperation, type Operation, type Reason } from "../operations.ts";
import { orAborted } from "./abort.ts";
import { parseCheckpoint } from "./checkpoint.ts";

export interface CloseDeps {
  readonly store: FileStore;
  readonly lifetimeSeconds: number;
  readonly nowSeconds: () => number;
  readonly logger: Logger;
}

/** Longest wait for a store that does not answer. What is left is deleted when the operation expires. */
const REMOVAL_MS = 1_000;

/**
 * Ends an operation without a file: records the failure if the operation is still running, and deletes the files that attempts
 * have left. For a cancelled operation, the message says that it was cancelled, and `reason` is ignored.
 */
export async function closeOperation(
  { store, lifetimeSeconds, nowSeconds, logger }: CloseDeps,
  client: pg.ClientBase | pg.Pool,
  operation: Operation,
  reason: Reason | null,
): Promise<void> {
  const { operationId } = operation;
  if (operation.status === "RUNNING") {
    const end = await failOperation(client, operation, reason, { nowSeconds: nowSeconds(), lifetimeSeconds });
    if (end) {
      counterOf("exportsEnded", { outcome: operation.isCancelled ? "CANCELLED" : "FAILED" }).add();
      logger.info({ operationId, ...end }, operation.isCancelled ? "an export was cancelled" : "an export has failed");
    }
  }
  const state = parseCheckpoint(operation.checkpoint)?.store ?? null;
  const signal = AbortSignal.timeout(REMOVAL_MS);
  await orAborted(store.remove(exportedFile(operation), state, signal), signal).catch((error: unknown) => {
    logger.warn(
      { err: error, operationId },
      `files of an export could not be deleted; the deletion is tried again when the operation expires: ${messageOf(error)}`,
    );
  });
}
