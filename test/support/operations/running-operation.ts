import type { Databases } from "../../../core/database/database.ts";
import { evmRequest } from "./requests.ts";

/** Id of the operation that `insertRunningOperation` inserts. */
export const RUNNING_ID = "5f61c24f-7a5e-4a0d-bb1c-c9a1b1b0dd5c";

/** Inserts an operation that nobody runs. It was started without an API key. */
export async function insertRunningOperation({ pool }: Pick<Databases, "pool">): Promise<void> {
  const request = JSON.stringify(evmRequest());
  await pool.query(
    `INSERT INTO operations (operation_id, owner, operation_type, operation_status, request, request_hash, created_at,
      updated_at) VALUES ($1, '', 'TRANSACTION_EXPORT_EVM', 'RUNNING', $2, sha256(convert_to($2, 'UTF8')), 1000, 1000)`,
    [RUNNING_ID, request],
  );
}
