import type pg from "pg";
import type { ExportRequest } from "../../../core/database/operations.ts";
import { inTransaction } from "../../../core/database/transaction.ts";
import { Failure } from "../../../core/errors/errors.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import type { Work } from "../../../core/work/work.ts";
import { notFound, parseOperationId } from "../operations/operation-id.ts";
import type { OperationStore } from "../operations/store.ts";
import type { Operation } from "../operations/types.ts";
import { cancelJob } from "./cancel.ts";
import { type JobLimits, startJob } from "./start.ts";

export interface JobsDeps {
  readonly pool: pg.Pool;
  readonly operations: Pick<OperationStore, "byIds">;
  readonly limits: JobLimits & { readonly fileLifetimeSeconds: number };
  readonly nowSeconds: () => number;
  readonly logger: Logger;
}

/** Starts and cancels export jobs. Both return the operation as it is afterwards. */
export interface Jobs {
  /**
   * Starts a job, or returns the operation of the owner that runs with the same request, or that was started with the same
   * idempotency key. Throws `RATE_LIMITED` if too many jobs run, and `INVALID_PARAMETER` for an invalid idempotency key, or
   * one that was used with another request.
   */
  start(owner: string, request: ExportRequest, idempotencyKey: string | null, work: Work): Promise<Operation>;
  /**
   * Does nothing to an operation that has ended. Throws `NOT_FOUND` for one that the canceller may not read, and `FORBIDDEN` for one that
   * was started without an API key, unless the token is that of its start.
   */
  cancel(canceller: Canceller, operationId: string, work: Work): Promise<Operation>;
}

/** Who cancels an operation. */
export interface Canceller {
  /** Name of the caller's API key; empty without a key. */
  readonly owner: string;
  readonly cancelToken: string | null;
}

export function createJobs({ pool, operations, limits, nowSeconds, logger }: JobsDeps): Jobs {
  const read = async (operationId: string, work: Work): Promise<Operation> => {
    const [operation] = await operations.byIds([operationId], work);
    if (!operation) throw notFound(operationId);
    return operation;
  };
  return {
    async start(owner, request, idempotencyKey, work) {
      const job = { owner, request, idempotencyKey, nowSeconds: nowSeconds() };
      const { operationId, cancelToken } = await inTransaction(pool, (client) => startJob(client, limits, job));
      return { ...(await read(operationId, work)), cancelToken };
    },
    async cancel({ owner, cancelToken }, text, work) {
      const operationId = parseOperationId(text);
      if (operationId === null) throw notFound(text);
      const now = nowSeconds();
      const times = { nowSeconds: now, expiresAt: now + limits.fileLifetimeSeconds };
      const result = await inTransaction(pool, (client) =>
        cancelJob(client, { operationId, owner, cancelToken, ...times }),
      );
      if (result === "hidden") throw notFound(text);
      if (result === "forbidden") throw wrongToken(operationId, cancelToken);
      const operation = await read(operationId, work);
      // A worker logs the end of the operations that it has started.
      if (result === "ended") logger.info(endOf(operation), "an export was cancelled before it started");
      return operation;
    },
  };
}

function wrongToken(operationId: string, cancelToken: string | null): Failure {
  const rule =
    cancelToken === null
      ? `operation ${operationId} was started without an API key: it can be cancelled only with cancelToken, which its start returned`
      : `cancelToken is not that of operation ${operationId}`;
  return new Failure("FORBIDDEN", rule);
}

/** What the log says about an operation that ended without a worker. */
function endOf({ operationId, operationType, operationStatus }: Operation) {
  return { operationId, type: operationType, status: operationStatus, rows: 0, bytes: 0, seconds: 0 };
}
