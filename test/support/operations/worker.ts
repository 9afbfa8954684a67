import type { Databases } from "../../../core/database/database.ts";
import { OPERATIONS_CHANNEL } from "../../../core/database/operations.ts";

/** Columns of `operations` that a worker sets, with their values. */
export type Change = Readonly<Record<string, string | number | boolean | Buffer | null>>;

/** Changes a row of `operations` as a worker does: with a new version, and a notification in the same transaction. */
export async function changeOperation({ pool }: Pick<Databases, "pool">, operationId: string, change: Change) {
  const columns = Object.keys(change).map((name, index) => `, ${name} = $${index + 2}`);
  await pool.query(
    `WITH changed AS (UPDATE operations SET version = version + 1, updated_at = updated_at + 1${columns.join("")}
        WHERE operation_id = $1 RETURNING operation_id, owner, operation_status)
      SELECT pg_notify('${OPERATIONS_CHANNEL}', json_build_object('operationId', operation_id, 'owner', owner,
        'operationStatus', operation_status)::text) FROM changed`,
    [operationId, ...Object.values(change)],
  );
}

/** What a worker sets when a file is complete. */
export const COMPLETED = {
  operation_status: "COMPLETED",
  row_count: 10,
  total_rows: 10,
  byte_count: 500,
  sha256: Buffer.alloc(32, 7),
  file_name: "transactions.csv",
  ended_at: 2_000,
  expires_at: 3_000,
} as const satisfies Change;
