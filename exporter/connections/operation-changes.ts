import type pg from "pg";
import { createListener } from "../../core/database/notification-listener.ts";
import { OPERATIONS_CHANNEL, type OperationNotification } from "../../core/database/operations.ts";
import { messageOf } from "../../core/errors/errors.ts";
import { parseNotification } from "../../core/exports/operation-notification.ts";
import type { Logger } from "../../core/observability/logger.ts";

export interface OperationChangesOptions {
  /** The listener opens a connection of its own with the settings of this pool. */
  readonly pool: pg.Pool;
  readonly logger: Logger;
  /** Subject of the changes, such as `new exports`. Log lines and the name of the database session contain it. */
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
