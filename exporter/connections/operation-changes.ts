import type pg from "pg";
import { messageOf } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { createListener } from "../../core/notification-listener.ts";
import { parseNotification } from "../../core/operation-notification.ts";
import { OPERATIONS_CHANNEL, type OperationNotification } from "../../core/operations.ts";

export interface OperationChangesOptions {
  /** Its settings are those of the connection that listens. */
  readonly pool: pg.Pool;
  readonly logger: Logger;
  /** What it listens for, for log lines and the name of the database session. */
  readonly about: string;
  /** Called for each change of an operation. */
  onChange(change: OperationNotification): Promise<void>;
  /** Called at the start, and when changes may have been missed. If it rejects, the connection is opened again. */
  onListening(): Promise<void>;
}

/** Listens for changes of operations. The connection is opened again when it is lost. */
export function watchOperationChanges(options: OperationChangesOptions): AsyncDisposable {
  const { pool, logger, about, onChange, onListening } = options;
  const listener = createListener(pool, logger, {
    channel: OPERATIONS_CHANNEL,
    about,
    onPayload(payload) {
      const change = parseNotification(payload);
      if (!change) return;
      onChange(change).catch((error: unknown) => {
        logger.warn({ err: error }, `a change of an operation could not be handled: ${messageOf(error)}`);
      });
    },
    onListening,
  });
  listener.start();
  return listener;
}
