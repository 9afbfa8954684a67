import type pg from "pg";
import { unavailable } from "../../../core/database/database.ts";
import { createListener } from "../../../core/database/notification-listener.ts";
import { OPERATIONS_CHANNEL } from "../../../core/database/operations.ts";
import { parseNotification } from "../../../core/exports/operation-notification.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import type { OperationStore } from "../operations/store.ts";
import type { Operation } from "../operations/types.ts";
import { createDistribution } from "./distribution.ts";
import { createThrottledReads } from "./throttled-reads.ts";
import type { Receive, Topics } from "./topics.ts";

/** Changes in the last minute before the connection was lost are read again: notifications may be missing, and clocks differ. */
const MARGIN_SECONDS = 60;
const RETRY_MS = 1_000;

export interface HubDeps {
  readonly pool: pg.Pool;
  readonly operations: Pick<OperationStore, "byIds" | "runningOrChanged">;
  readonly logger: Logger;
  readonly nowSeconds: () => number;
}

/**
 * Distributes the states of operations to all watchers of a process. It has one connection for notifications, opened for
 * the first watcher, and reads each changed operation once, however many watch it. After the connection was lost and
 * restored, it reads again everything that is watched.
 */
export interface Hub extends AsyncDisposable {
  /** Sends the states of one operation to `receive`, until the returned function is called. */
  watchOperation(operationId: string, receive: Receive): () => void;
  /** Sends the states of all operations of an owner to `receive`, until the returned function is called. */
  watchOwner(owner: string, receive: Receive): () => void;
  /** Reads an operation, and distributes its state if it is newer than what watchers got; null if it does not exist. */
  read(operationId: string): Promise<Operation | null>;
  /** As `read`, for the operations of an owner that run or that changed in the last minute. */
  readOwner(owner: string): Promise<Operation[]>;
}

export function createHub({ pool, operations, logger, nowSeconds }: HubDeps): Hub {
  const { ofOperation, ofOwner, read, readOwners, readAll } = createDistribution(operations);
  /** When the connection was lost, or first needed, in seconds; null while it listens and before it is needed. */
  let lostAt: number | null = null;
  let isStarted = false;

  const reads = createThrottledReads((operationId) => {
    read(operationId).catch((error: unknown) => {
      if (unavailable(error) === null) logger.error({ err: error, operationId }, "a watched operation cannot be read");
      // Reading again is necessary if the database is only busy: then the connection is not lost, and `onListening` is not called.
      setTimeout(() => reads.request(operationId, false), RETRY_MS).unref();
    });
  });
  const listener = createListener(pool, logger, {
    channel: OPERATIONS_CHANNEL,
    about: "operations",
    onPayload(payload) {
      const notification = parseNotification(payload);
      if (!notification) return;
      const { operationId, owner, operationStatus = "RUNNING" } = notification;
      if (ofOperation.has(operationId) || ofOwner.has(owner)) reads.request(operationId, operationStatus !== "RUNNING");
    },
    async onListening() {
      await readAll((lostAt ?? nowSeconds()) - MARGIN_SECONDS);
      lostAt = null;
    },
    onLost() {
      lostAt ??= nowSeconds();
    },
  });
  const watch = (topics: Topics, topic: string, receive: Receive) => {
    if (!isStarted) lostAt = nowSeconds();
    isStarted = true;
    listener.start();
    return topics.add(topic, receive);
  };
  return {
    watchOperation: (operationId, receive) => watch(ofOperation, operationId, receive),
    watchOwner: (owner, receive) => watch(ofOwner, owner, receive),
    read,
    readOwner: (owner) => readOwners([owner], nowSeconds() - MARGIN_SECONDS),
    async [Symbol.asyncDispose]() {
      reads[Symbol.dispose]();
      await listener[Symbol.asyncDispose]();
    },
  };
}
