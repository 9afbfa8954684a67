import { createHash } from "node:crypto";
import { openDatabase } from "../../../core/database/open-database.ts";
import { EXPORT_TASK, type ExportRequest } from "../../../core/database/operations.ts";
import { createPageTokens } from "../../../core/graph/page.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { createLogLines } from "../../../test/support/log-lines.ts";
import { evmRequest } from "../../../test/support/operations/requests.ts";
import { COMPLETED, changeOperation } from "../../../test/support/operations/worker.ts";
import { createOperationStore } from "../operations/store.ts";
import { type Canceller, createJobs } from "./jobs.ts";

const NOW = 1_800_000_000;
const A = { owner: "a", cancelToken: null };
const LIMITS = { maxRunning: 5, maxRunningPerKey: 3, fileLifetimeSeconds: 100 };
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

let database: TestDatabase;
let jobs: ReturnType<typeof jobsOver>;
beforeEach(async () => {
  database = await createTestDatabase();
  jobs = jobsOver(database);
});
afterEach(() => database[Symbol.asyncDispose]());

function jobsOver({ pool }: Pick<TestDatabase, "pool">, logger = createLogger("silent")) {
  const operations = createOperationStore(
    { pool },
    createPageTokens(Buffer.alloc(32), () => NOW),
  );
  const { start, cancel } = createJobs({ pool, operations, limits: LIMITS, nowSeconds: () => NOW, logger });
  return {
    start: (owner: string, request: ExportRequest, key: string | null) => start(owner, request, key, SERVICE_WORK),
    cancel: (canceller: Canceller, operationId: string) => cancel(canceller, operationId, SERVICE_WORK),
  };
}

/** Keys and payloads of the jobs in the queue. */
async function queued(): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    `SELECT key, payload, task_identifier AS task, j.max_attempts AS "maxAttempts" FROM graphile_worker.jobs v
      JOIN graphile_worker._private_jobs j USING (id, key) ORDER BY id`,
  );
  return rows;
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    ({ code, message }: { readonly code: string; readonly message: string }) => [code, message],
  );

describe("starting an export", () => {
  it("stores the operation and one job", async () => {
    const operation = await jobs.start("a", evmRequest(), null);
    expect(operation).toMatchObject({
      owner: "a",
      cancelToken: null,
      operationType: "TRANSACTION_EXPORT_EVM",
      operationStatus: "RUNNING",
      request: evmRequest(),
      message: null,
      metadata: null,
      file: null,
      createdAtTimestamp: String(NOW),
      updatedAtTimestamp: String(NOW),
      startedAtTimestamp: null,
      endedAtTimestamp: null,
      expiresAtTimestamp: null,
      isCancelled: false,
      progress: { rows: "0", totalRows: null, bytes: "0", fraction: null, etaSeconds: null },
    });
    const { operationId } = operation;
    expect(await queued()).toEqual([
      { key: operationId, payload: { operationId }, task: EXPORT_TASK, maxAttempts: 25 },
    ]);
  });

  it("returns the operation that runs with the same request, to its owner only, until it has ended", async () => {
    const { operationId } = await jobs.start("a", evmRequest(), null);
    expect(await jobs.start("a", evmRequest(), null)).toMatchObject({ operationId });
    expect((await jobs.start("b", evmRequest(), null)).operationId).not.toBe(operationId);
    expect((await jobs.start("a", evmRequest(1), null)).operationId).not.toBe(operationId);
    await changeOperation(database, operationId, COMPLETED);
    expect((await jobs.start("a", evmRequest(), null)).operationId).not.toBe(operationId);
    expect(await queued()).toHaveLength(4);
  });

  it("starts one job if several processes start the same request at once", async () => {
    await using other = openDatabase(database.url, 5, createLogger("silent"));
    const started = Array.from({ length: 8 }, (_, index) =>
      (index % 2 ? jobs : jobsOver(other)).start("a", evmRequest(), null),
    );
    const ids = (await Promise.all(started)).map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(1);
    expect(await queued()).toHaveLength(1);
  });

  it("returns the operation with the same idempotency key, also after its end, but refuses another request", async () => {
    const { operationId } = await jobs.start("a", evmRequest(), "key 1");
    await changeOperation(database, operationId, COMPLETED);
    expect(await jobs.start("a", evmRequest(), "key 1")).toMatchObject({ operationId, operationStatus: "COMPLETED" });
    expect(await failureOf(jobs.start("a", evmRequest(1), "key 1"))).toEqual([
      "INVALID_PARAMETER",
      'idempotencyKey "key 1" was used with another request; use a new key for a new request',
    ]);
    expect((await jobs.start("b", evmRequest(1), "key 1")).operationId).not.toBe(operationId);
  });

  it("keeps each idempotency key of requests that joined a running operation, until the operation is deleted", async () => {
    const { operationId } = await jobs.start("a", evmRequest(), "first key");
    await jobs.start("a", evmRequest(), "second key");
    await jobs.start("a", evmRequest(), "third key");
    await changeOperation(database, operationId, COMPLETED);
    for (const key of ["first key", "second key", "third key"]) {
      expect(await jobs.start("a", evmRequest(), key)).toMatchObject({ operationId });
      expect(await failureOf(jobs.start("a", evmRequest(1), key))).toEqual([
        "INVALID_PARAMETER",
        expect.stringContaining(key),
      ]);
    }
    await database.pool.query("DELETE FROM operations WHERE operation_id = $1", [operationId]);
    expect((await jobs.start("a", evmRequest(1), "second key")).operationId).not.toBe(operationId);
  });

  it.each(["", "x".repeat(256), "ä", "a\n"])("refuses the idempotency key %j", async (key) => {
    expect(await failureOf(jobs.start("a", evmRequest(), key))).toEqual([
      "INVALID_PARAMETER",
      expect.stringMatching(/^idempotencyKey must be 1 to 255 printable ASCII characters, got "/),
    ]);
  });

  it("is refused above the limit of a key, and above the limit of all, until an operation has ended", async () => {
    const [first] = await Promise.all([0, 1, 2].map((index) => jobs.start("a", evmRequest(index), null)));
    const message =
      "at most 3 operations of this API key may run at the same time: wait until one has ended, or cancel one";
    expect(await failureOf(jobs.start("a", evmRequest(3), null))).toEqual(["RATE_LIMITED", message]);
    await Promise.all([3, 4].map((index) => jobs.start("b", evmRequest(index), null)));
    expect(await failureOf(jobs.start("", evmRequest(5), null))).toEqual([
      "RATE_LIMITED",
      "at most 5 operations may run at the same time: wait until one has ended, or cancel one",
    ]);
    await changeOperation(database, first?.operationId ?? "", COMPLETED);
    expect(await jobs.start("", evmRequest(5), null)).toMatchObject({ owner: "" });
  });

  it("cannot exceed a limit by starts at the same time", async () => {
    const started = Array.from({ length: 8 }, (_, index) => failureOf(jobs.start("", evmRequest(index), null)));
    const failures = (await Promise.all(started)).filter((failure) => failure !== null);
    const message =
      "at most 3 operations of callers without an API key may run at the same time: wait until one has ended, or cancel one";
    expect(failures).toEqual(Array(5).fill(["RATE_LIMITED", message]));
    expect(await queued()).toHaveLength(3);
  });

  it("leaves nothing behind if the queue fails", async () => {
    await database.pool.query("ALTER SCHEMA graphile_worker RENAME TO gone");
    await expect(jobs.start("a", evmRequest(), null)).rejects.toThrow(/add_job/);
    expect((await database.pool.query("SELECT FROM operations")).rowCount).toBe(0);
  });
});

describe("cancelling an export", () => {
  it("ends a job that waits for a worker at once, and removes it from the queue", async () => {
    const { operationId } = await jobs.start("a", evmRequest(), null);
    expect(await jobs.cancel(A, operationId.toUpperCase())).toMatchObject({
      operationStatus: "FAILED",
      message: "the export was cancelled",
      isCancelled: true,
      metadata: null,
      endedAtTimestamp: String(NOW),
      expiresAtTimestamp: String(NOW + 100),
      version: 2n,
    });
    expect(await queued()).toEqual([]);
  });

  it("logs the end of an operation that no worker has started, once", async () => {
    const { logger, lines } = createLogLines("info");
    const logged = jobsOver(database, logger);
    const { operationId } = await logged.start("a", evmRequest(), null);
    await logged.cancel(A, operationId);
    await logged.cancel(A, operationId);
    expect(lines).toEqual([
      {
        level: 30,
        operationId,
        type: "TRANSACTION_EXPORT_EVM",
        status: "FAILED",
        rows: 0,
        bytes: 0,
        seconds: 0,
        msg: "an export was cancelled before it started",
      },
    ]);
  });

  it("leaves the end of a job that runs to its worker", async () => {
    const { operationId } = await jobs.start("a", evmRequest(), null);
    await changeOperation(database, operationId, { started_at: NOW });
    const cancelled = { operationStatus: "RUNNING", isCancelled: true, endedAtTimestamp: null, version: 3n };
    expect(await jobs.cancel(A, operationId)).toMatchObject(cancelled);
    expect(await jobs.cancel(A, operationId)).toMatchObject(cancelled);
    expect(await queued()).toHaveLength(1);
  });

  it("allows a new start of the same request", async () => {
    const { operationId } = await jobs.start("a", evmRequest(), null);
    await jobs.cancel(A, operationId);
    expect(await jobs.start("a", evmRequest(), null)).toMatchObject({ operationStatus: "RUNNING" });
  });

  it("returns an operation that has ended unchanged", async () => {
    const { operationId } = await jobs.start("a", evmRequest(), null);
    await changeOperation(database, operationId, COMPLETED);
    expect(await jobs.cancel(A, operationId)).toMatchObject({ operationStatus: "COMPLETED", isCancelled: false });
  });

  it("needs the token that the start returned, if the operation was started without a key", async () => {
    const { operationId, cancelToken } = await jobs.start("", evmRequest(), null);
    expect(cancelToken).toMatch(/^[\w-]{43}$/);
    const other = (await jobs.start("", evmRequest(1), null)).cancelToken;
    for (const owner of ["", "b"]) {
      expect(await failureOf(jobs.cancel({ owner, cancelToken: null }, operationId))).toEqual([
        "FORBIDDEN",
        `operation ${operationId} was started without an API key: it can be cancelled only with cancelToken, which its start returned`,
      ]);
      for (const wrong of ["", "x", other, `${cancelToken}x`])
        expect(await failureOf(jobs.cancel({ owner, cancelToken: wrong }, operationId))).toEqual([
          "FORBIDDEN",
          `cancelToken is not that of operation ${operationId}`,
        ]);
    }
    expect(await jobs.cancel({ owner: "", cancelToken }, operationId)).toMatchObject({ operationStatus: "FAILED" });
  });

  it("stores only the hash of the token, which is never shown again", async () => {
    const { operationId, cancelToken } = await jobs.start("", evmRequest(), "key 1");
    for (const key of ["key 1", "key 2", null])
      expect(await jobs.start("", evmRequest(), key)).toMatchObject({ operationId, cancelToken: null });
    expect(await jobs.cancel({ owner: "", cancelToken }, operationId)).toMatchObject({ cancelToken: null });
    const { rows } = await database.pool.query(
      "SELECT operations::text AS row, cancel_token_hash AS hash FROM operations",
    );
    expect(rows[0].row).not.toContain(cancelToken);
    expect(rows[0].hash).toEqual(
      createHash("sha256")
        .update(cancelToken ?? "")
        .digest(),
    );
  });

  it("cannot be done to an operation that has neither a key nor a token", async () => {
    const { operationId } = await jobs.start("", evmRequest(), null);
    await database.pool.query("UPDATE operations SET cancel_token_hash = NULL");
    expect(await failureOf(jobs.cancel({ owner: "", cancelToken: "" }, operationId))).toEqual([
      "FORBIDDEN",
      expect.any(String),
    ]);
  });

  it("fails for an operation of another key, an unknown and a malformed id", async () => {
    const { operationId } = await jobs.start("a", evmRequest(), null);
    for (const id of [operationId, UNKNOWN_ID, "1", ""])
      for (const owner of ["b", ""])
        expect(await failureOf(jobs.cancel({ owner, cancelToken: null }, id))).toEqual([
          "NOT_FOUND",
          `operation ${JSON.stringify(id)} does not exist`,
        ]);
    expect(await jobs.start("a", evmRequest(), null)).toMatchObject({ operationId, isCancelled: false });
  });
});
