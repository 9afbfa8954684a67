import type pg from "pg";
import { EXPORT_TASK } from "../core/database/operations.ts";
import { messageOf } from "../core/errors/errors.ts";
import type { Logger } from "../core/observability/logger.ts";
import type { FileOwner, FileStore } from "./files/file-store.ts";
import { orAborted } from "./job/abort.ts";
import { exportedFile, findOperation } from "./operations.ts";

export interface CleanUpDeps {
  readonly pool: pg.Pool;
  readonly store: FileStore;
  readonly nowSeconds: () => number;
  readonly logger: Logger;
}

/** Longest wait for the deletion of one file: a store may accept requests and not answer them. */
const REMOVAL_MS = 30_000;

/**
 * Deletes expired operations with their files, files that no operation needs, and jobs whose operations have ended. Aborting
 * the signal ends the clean-up early.
 */
export async function cleanUp(deps: CleanUpDeps, end: AbortSignal): Promise<void> {
  const { pool, store, nowSeconds, logger } = deps;
  // If one file cannot be deleted, the others are still deleted.
  for (const { id } of (await pool.query<{ id: string }>(EXPIRED, [nowSeconds()])).rows)
    await removeExpired(deps, id, end).catch((error: unknown) => {
      end.throwIfAborted();
      logger.warn({ err: error, operationId: id }, `an expired export could not be deleted: ${messageOf(error)}`);
    });
  await store.removeUnneeded((operationIds) => fileOwners(pool, operationIds));
  await pool.query(DELETE_JOBS, [EXPORT_TASK]);
}

const EXPIRED = `
  SELECT operation_id AS id FROM operations WHERE expires_at <= $1 AND operation_status <> 'RUNNING' ORDER BY expires_at`;

async function removeExpired({ pool, store }: CleanUpDeps, operationId: string, end: AbortSignal): Promise<void> {
  const operation = await findOperation(pool, operationId);
  // The file is deleted first: if that fails, the operation still exists, and the next clean-up tries again.
  const signal = AbortSignal.any([end, AbortSignal.timeout(REMOVAL_MS)]);
  if (operation) await orAborted(store.remove(exportedFile(operation), null, signal), signal);
  await pool.query("DELETE FROM operations WHERE operation_id = $1", [operationId]);
}

/** Jobs of operations that have ended, which a worker left when it could not reach the queue. */
const DELETE_JOBS = `
  SELECT FROM complete_jobs(ARRAY(
    SELECT id FROM jobs WHERE task_identifier = $1 AND locked_at IS NULL AND NOT EXISTS (
      SELECT FROM operations WHERE operation_id::text = key AND operation_status = 'RUNNING')))`;

async function fileOwners(pool: pg.Pool, operationIds: readonly string[]): Promise<ReadonlyMap<string, FileOwner>> {
  const text = `
    SELECT operation_id AS "operationId", operation_status = 'RUNNING' AS "isRunning",
      CASE WHEN operation_status LIKE 'COMPLETED%' THEN checkpoint END AS state
    FROM operations WHERE operation_id = ANY ($1)`;
  const { rows } = await pool.query<FileOwner & { readonly operationId: string }>(text, [operationIds]);
  return new Map(rows.map((row) => [row.operationId, row]));
}
