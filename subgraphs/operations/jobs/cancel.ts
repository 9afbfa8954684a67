import type { ClientBase } from "pg";
import { ANNOUNCE_CHANGE, CANCELLED_MESSAGE, type OperationStatus } from "../../../core/database/operations.ts";
import { isToken } from "../cancel-token.ts";

export interface Cancellation {
  readonly operationId: string;
  /** Name of the caller's API key; empty without a key. */
  readonly owner: string;
  readonly cancelToken: string | null;
  readonly nowSeconds: number;
  /** When the operation is deleted if it ends now, in seconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * `hidden`: the caller may not read the operation, or it does not exist. `forbidden`: it was started without an API key, and the token is
 * not that of its start. `unchanged`: it had ended or was cancelled before.
 * `ended`: it has ended now, because no worker had started it. `requested`: the worker that runs it will end it.
 */
export type CancelResult = "hidden" | "forbidden" | "unchanged" | "ended" | "requested";

/** Cancels an operation. Call it in a transaction. */
export async function cancelJob(client: ClientBase, cancellation: Cancellation): Promise<CancelResult> {
  const { operationId, owner, cancelToken } = cancellation;
  const { rows } = await client.query<{ readonly owner: string; readonly hash: Buffer | null }>(
    "SELECT owner, cancel_token_hash AS hash FROM operations WHERE operation_id = $1 AND owner IN ($2, '') FOR UPDATE",
    [operationId, owner],
  );
  const [row] = rows;
  if (!row) return "hidden";
  if (row.owner === "" && !isToken(cancelToken ?? "", row.hash)) return "forbidden";
  const status = await markCancelled(client, cancellation);
  if (status === null) return "unchanged";
  if (status === "RUNNING") return "requested";
  await client.query("SELECT remove_job($1)", [operationId]);
  return "ended";
}

/** Returns the status of the operation afterwards; null if it has ended or is cancelled already. */
async function markCancelled(client: ClientBase, cancellation: Cancellation): Promise<OperationStatus | null> {
  const { operationId, nowSeconds, expiresAt } = cancellation;
  const { rows } = await client.query<{ readonly status: OperationStatus }>(
    `WITH cancelled AS (
      UPDATE operations SET is_cancelled = true, version = version + 1, updated_at = $2::bigint,
        operation_status = CASE WHEN started_at IS NULL THEN 'FAILED' ELSE operation_status END,
        message = CASE WHEN started_at IS NULL THEN $4::text ELSE message END,
        ended_at = CASE WHEN started_at IS NULL THEN $2::bigint END,
        expires_at = CASE WHEN started_at IS NULL THEN $3::bigint END
      WHERE operation_id = $1 AND operation_status = 'RUNNING' AND NOT is_cancelled
      RETURNING *)
    SELECT operation_status AS status, ${ANNOUNCE_CHANGE} FROM cancelled`,
    [operationId, nowSeconds, expiresAt, CANCELLED_MESSAGE],
  );
  return rows[0]?.status ?? null;
}
