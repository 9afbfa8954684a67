import type pg from "pg";
import type { Logger } from "../../core/observability/logger.ts";
import { watchOperationChanges } from "../connections/operation-changes.ts";

export interface CancellationOptions {
  readonly pool: pg.Pool;
  readonly logger: Logger;
  /** Called for each operation that is cancelled. */
  onCancelled(operationId: string): Promise<void>;
  /** Called at the start, and when notifications may have been missed. */
  onReconnected(): Promise<void>;
}

/** Listens for operations that are cancelled. */
export function watchCancellations(options: CancellationOptions): AsyncDisposable {
  const { pool, logger, onCancelled, onReconnected } = options;
  return watchOperationChanges({
    pool,
    logger,
    about: "cancelled exports",
    async onChange({ operationId }) {
      const text = "SELECT FROM operations WHERE operation_id = $1 AND is_cancelled";
      const { rowCount } = await pool.query(text, [operationId]);
      if (rowCount === 1) await onCancelled(operationId);
    },
    onListening: onReconnected,
  });
}
