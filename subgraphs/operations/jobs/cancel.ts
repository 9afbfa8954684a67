import type { ClientBase } from "pg";
import { CANCELLED_MESSAGE, type OperationStatus } from "../../../core/operations.ts";
import { notifyWatchers } from "./notify.ts";

export interface Cancellation {
  readonly operationId: string;
  /** Name of the caller's API key; empty without a key. */
  readonly owner: string;
  readonly nowSeconds: number;
  /** When the operation is deleted, if it ends now. */
  readonly expiresAt: number;
}

interface Cancelled {
  readonly owner: string;
  readonly status: OperationStatus;
}

/**
 * Runs in a transaction. A job that no worker has started ends at once; otherwise its worker ends it. Returns false if the
 * caller may not read the operation.
 */
export async function cancelJob(client: ClientBase, cancellation: Cancellation): Promise<boolean> {
  const { operationId, owner } = cancellation;
  const { rowCount } = await client.query(
    "SELECT FROM operations WHERE operation_id = $1 AND owner IN ($2, '') FOR UPDATE",
    [operationId, owner],
  );
  if (rowCount === 0) return false;
  const cancelled = await markCancelled(client, cancellation);
  if (!cancelled) return true;
  if (cancelled.status === "FAILED") await client.query("SELECT graphile_worker.remove_job($1)", [operationId]);
  await notifyWatchers(client, { operationId, owner: cancelled.owner, operationStatus: cancelled.status });
  return true;
}

/** Null if the operation has ended or is cancelled already. */
async function markCancelled(client: ClientBase, cancellation: Cancellation): Promise<Cancelled | null> {
  const { operationId, nowSeconds, expiresAt } = cancellation;
  const { rows } = await client.query<Cancelled>(
    `UPDATE operations SET is_cancelled = true, version = version + 1, updated_at = $2::bigint,
        operation_status = CASE WHEN started_at IS NULL THEN 'FAILED' ELSE operation_status END,
        message = CASE WHEN started_at IS NULL THEN $4::text ELSE message END,
        ended_at = CASE WHEN started_at IS NULL THEN $2::bigint END,
        expires_at = CASE WHEN started_at IS NULL THEN $3::bigint END
      WHERE operation_id = $1 AND operation_status = 'RUNNING' AND NOT is_cancelled
      RETURNING owner, operation_status AS status`,
    [operationId, nowSeconds, expiresAt, CANCELLED_MESSAGE],
  );
  return rows[0] ?? null;
}
