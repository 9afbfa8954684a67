import { createHash, randomUUID } from "node:crypto";
import type { ClientBase } from "pg";
import { addExportJob } from "../../../core/database/job-queue.ts";
import { ANNOUNCE_CHANGE, type ExportRequest } from "../../../core/database/operations.ts";
import { lockKey } from "../../../core/database/postgres/schema-names.ts";
import { Failure, quoted } from "../../../core/errors/errors.ts";
import { createCancelToken, hashOfToken } from "../cancel-token.ts";

/** Key of the advisory lock that each start holds until its transaction ends, so that two starts cannot exceed a limit together. */
const START_LOCK = lockKey("7604312001");
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

export interface JobLimits {
  readonly maxRunning: number;
  readonly maxRunningPerKey: number;
}

export interface NewJob {
  readonly owner: string;
  readonly request: ExportRequest;
  readonly idempotencyKey: string | null;
  readonly nowSeconds: number;
}

/** A new job as its row contains it. */
interface JobRow extends NewJob {
  readonly text: string;
  readonly hash: Buffer;
}

export interface StartedJob {
  readonly operationId: string;
  /** The secret of a new operation of a caller without an API key; null for any other. Only its hash is stored. */
  readonly cancelToken: string | null;
}

/** Returns the new operation, or the one that it would repeat: see `Jobs.start`. Call it in a transaction. */
export async function startJob(client: ClientBase, limits: JobLimits, job: NewJob): Promise<StartedJob> {
  requireIdempotencyKey(job.idempotencyKey);
  const text = JSON.stringify(job.request);
  const row = { ...job, text, hash: createHash("sha256").update(text).digest() };
  await client.query(`SELECT pg_advisory_xact_lock(${START_LOCK})`);
  const known = await withIdempotencyKey(client, row);
  if (known) return { operationId: known, cancelToken: null };
  const running = await withSameRequest(client, row);
  const started = running ? { operationId: running, cancelToken: null } : await startNew(client, limits, row);
  await storeIdempotencyKey(client, row, started.operationId);
  return started;
}

function requireIdempotencyKey(key: string | null): void {
  if (key === null || IDEMPOTENCY_KEY.test(key)) return;
  throw new Failure(
    "INVALID_PARAMETER",
    `idempotencyKey must be 1 to 255 printable ASCII characters, got ${quoted(key)}`,
  );
}

async function withIdempotencyKey(client: ClientBase, { owner, idempotencyKey, hash }: JobRow): Promise<string | null> {
  if (idempotencyKey === null) return null;
  const { rows } = await client.query<{ id: string; isSame: boolean }>(
    `SELECT operation_id AS id, request_hash = $3 AS "isSame" FROM idempotency_keys WHERE owner = $1 AND key = $2`,
    [owner, idempotencyKey, hash],
  );
  const [row] = rows;
  if (!row) return null;
  if (row.isSame) return row.id;
  throw new Failure(
    "INVALID_PARAMETER",
    `idempotencyKey ${quoted(idempotencyKey)} was used with another request; use a new key for a new request`,
  );
}

/** Stores the key also if the request returned a running operation, so that each key of a caller finds its operation later. */
async function storeIdempotencyKey(
  client: ClientBase,
  { owner, idempotencyKey, hash, nowSeconds }: JobRow,
  operationId: string,
): Promise<void> {
  if (idempotencyKey === null) return;
  await client.query(
    "INSERT INTO idempotency_keys (owner, key, operation_id, request_hash, created_at) VALUES ($1, $2, $3, $4, $5)",
    [owner, idempotencyKey, operationId, hash, nowSeconds],
  );
}

async function withSameRequest(client: ClientBase, { owner, hash }: JobRow): Promise<string | null> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT operation_id AS id FROM operations
      WHERE owner = $1 AND request_hash = $2 AND operation_status = 'RUNNING' AND NOT is_cancelled`,
    [owner, hash],
  );
  return rows[0]?.id ?? null;
}

async function startNew(client: ClientBase, limits: JobLimits, row: JobRow): Promise<StartedJob> {
  await requireFreeJob(client, limits, row.owner);
  return insert(client, row);
}

async function requireFreeJob(client: ClientBase, { maxRunning, maxRunningPerKey }: JobLimits, owner: string) {
  const { rows } = await client.query<{ own: number; all: number }>(
    `SELECT count(*) FILTER (WHERE owner = $1)::int AS own, count(*)::int AS all
      FROM operations WHERE operation_status = 'RUNNING' AND NOT is_cancelled`,
    [owner],
  );
  const { own = 0, all = 0 } = rows[0] ?? {};
  if (own >= maxRunningPerKey) {
    const whose = owner === "" ? "callers without an API key" : "this API key";
    throw tooMany(`${maxRunningPerKey} operations of ${whose}`);
  }
  if (all >= maxRunning) throw tooMany(`${maxRunning} operations`);
}

const tooMany = (what: string): Failure =>
  new Failure("RATE_LIMITED", `at most ${what} may run at the same time: wait until one has ended, or cancel one`);

async function insert(client: ClientBase, row: JobRow): Promise<StartedJob> {
  const { owner, request, text, hash, nowSeconds } = row;
  const operationId = randomUUID();
  const cancelToken = owner === "" ? createCancelToken() : null;
  await client.query(
    `WITH added AS (
      INSERT INTO operations (operation_id, owner, operation_type, operation_status, request, request_hash,
        created_at, updated_at, cancel_token_hash) VALUES ($1, $2, $3, 'RUNNING', $4, $5, $6, $6, $7) RETURNING *)
    SELECT ${ANNOUNCE_CHANGE} FROM added`,
    [operationId, owner, request.type, text, hash, nowSeconds, cancelToken && hashOfToken(cancelToken)],
  );
  await addExportJob(client, operationId);
  return { operationId, cancelToken };
}
