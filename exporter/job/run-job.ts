import type { ExportRequest } from "../../core/database/operations.ts";
import type { Placement } from "../../core/database/placement.ts";
import { messageOf } from "../../core/errors/errors.ts";
import { type Connection, openConnection } from "../connections/connection.ts";
import { tryLock } from "../connections/lock.ts";
import { openSnapshot } from "../connections/snapshot.ts";
import type { ExportSource } from "../export-source.ts";
import { NoSpaceToResume } from "../files/file-store.ts";
import { UploadLost } from "../files/s3-errors.ts";
import { changeOperation, findOperation, type Operation } from "../operations.ts";
import type { ExporterTimings } from "../timings.ts";
import { JobCancelled, JobStopped } from "./abort.ts";
import { type CloseDeps, closeOperation } from "./close-operation.ts";
import { isTransient, reasonOf, retryMessage } from "./failure-reason.ts";
import { writeFile } from "./write-file.ts";

export interface JobDeps extends CloseDeps {
  /** The databases. Operations are in the main one. */
  readonly placement: Placement;
  readonly createSource: (request: ExportRequest) => ExportSource;
  readonly maxRows: number;
  readonly timings: ExporterTimings;
}

export interface JobSignals {
  /** Aborted with `JobCancelled`. */
  readonly cancel: AbortSignal;
  /** When it is aborted, the job stores what it has, and ends. */
  readonly stop: AbortSignal;
  /** Aborted with `JobStopped` when the time for storing is over. */
  readonly stopNow: AbortSignal;
}

/**
 * What is to be done with the job after an attempt. `ended`: nothing, the operation has ended. `taken`: another connection holds its lock.
 * `stopped`: another worker may take it at once. `waiting`: it continues when the disk has room. `failed`: it may be tried again after
 * a pause.
 */
export type Outcome =
  | { readonly kind: "ended" | "taken" | "stopped" }
  | { readonly kind: "failed" | "waiting"; readonly error: unknown };

/**
 * Runs an attempt of a job. `isLast`: no further attempt follows, so the operation ends with this one. If the database
 * connection is lost, `settleOrphans` ends the operation later. Throws nothing.
 */
export async function runJob(
  deps: JobDeps,
  operationId: string,
  isLast: boolean,
  signals: JobSignals,
): Promise<Outcome> {
  try {
    await using session = await openConnection(deps.placement.main, `moraine export ${operationId.slice(0, 8)}`);
    if (!(await tryLock(session.client, operationId))) return { kind: "taken" };
    return await runLocked(deps, { session, operationId, isLast, signals });
  } catch (error) {
    return { kind: "failed", error };
  }
}

interface Locked {
  readonly session: Connection;
  readonly operationId: string;
  readonly isLast: boolean;
  readonly signals: JobSignals;
}

async function runLocked(deps: JobDeps, locked: Locked): Promise<Outcome> {
  const { session, operationId, isLast } = locked;
  const operation = await findOperation(session.client, operationId);
  if (operation?.status !== "RUNNING" || operation.isCancelled) return settleEnded(deps, session, operation);
  const logger = deps.logger.child({ operationId });
  try {
    await attemptToWrite({ ...deps, logger }, operation, locked);
    return { kind: "ended" };
  } catch (error) {
    if (error instanceof JobStopped) return { kind: "stopped" };
    if (session.lost.aborted) return { kind: "failed", error: session.lost.reason };
    if (error instanceof JobCancelled)
      return settleEnded(deps, session, await findOperation(session.client, operationId));
    if (error instanceof UploadLost) await forgetFile(deps, session, operationId);
    if (error instanceof NoSpaceToResume) {
      await storeRetryReason(deps, session, operationId, error);
      return { kind: "waiting", error };
    }
    if (isTransient(error) && !isLast) {
      await storeRetryReason(deps, session, operationId, error);
      return { kind: "failed", error };
    }
    logger.error({ err: error }, `an export failed and is not tried again: ${messageOf(error)}`);
    const last = await findOperation(session.client, operationId);
    if (last) await closeOperation(deps, session.client, last, reasonOf(error));
    return { kind: "ended" };
  }
}

async function attemptToWrite(
  deps: JobDeps,
  operation: Operation,
  { session, signals: { cancel, stop, stopNow } }: Locked,
): Promise<void> {
  const source = deps.createSource(operation.request);
  await using snapshot = await openSnapshot({ ...deps, ...operation, session });
  const signal = AbortSignal.any([session.lost, snapshot.lost, cancel, stopNow]);
  try {
    await writeFile({ ...deps, operation, source, session, snapshot, signal, stop });
  } catch (error) {
    // After an abort, errors are its consequences.
    throw signal.aborted ? signal.reason : error;
  }
}

/** Does what is left to do for an operation that was cancelled, or that ended without this attempt. */
async function settleEnded(deps: JobDeps, session: Connection, operation: Operation | null): Promise<Outcome> {
  if (operation && !operation.status.startsWith("COMPLETED"))
    await closeOperation(deps, session.client, operation, null);
  return { kind: "ended" };
}

/** Stores the reason of a failed attempt as the operation's message, until an attempt succeeds in opening the file. */
async function storeRetryReason(
  { nowSeconds }: JobDeps,
  session: Connection,
  operationId: string,
  error: unknown,
): Promise<void> {
  const change = { message: retryMessage(error) };
  // If the connection is lost now, the log has the reason.
  await changeOperation(session.client, operationId, change, { nowSeconds: nowSeconds() }).catch(() => {});
}

async function forgetFile({ nowSeconds }: JobDeps, session: Connection, operationId: string): Promise<void> {
  await changeOperation(session.client, operationId, { checkpoint: null }, { nowSeconds: nowSeconds() });
}
