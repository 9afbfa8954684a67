import pg from "pg";
import { FAILURES, Failure, rootCause } from "../../core/errors/errors.ts";
import { isOutage } from "../../core/errors/outage.ts";
import { ConnectionLost } from "../connections/connection.ts";
import { NoSpaceToResume, StoreRefused } from "../files/file-store.ts";
import { StoreUnavailable, UploadLost } from "../files/s3-errors.ts";
import type { Reason } from "../operations.ts";

/**
 * Classes of PostgreSQL's error codes after which another attempt can succeed: connection, rollback, resources, state of an
 * object, operator.
 */
const TRANSIENT_CLASSES: ReadonlySet<string> = new Set(["08", "40", "53", "55", "57"]);

/** True if another attempt can succeed without a change to the request or the program. */
export function isTransient(error: unknown): boolean {
  const cause = error instanceof Failure ? rootCause(error) : error;
  if (cause instanceof ConnectionLost || cause instanceof StoreUnavailable || cause instanceof UploadLost) return true;
  if (cause instanceof pg.DatabaseError) return TRANSIENT_CLASSES.has((cause.code ?? "").slice(0, 2));
  return isOutage(cause);
}

/** What callers learn of a transient error after which the export is tried again. It contains nothing internal. */
export function retryMessage(error: unknown): string {
  if (error instanceof NoSpaceToResume)
    return "the disk for exported files is full; the export continues after its last part when the disk has room";
  const isOfStore = error instanceof StoreUnavailable || error instanceof UploadLost;
  const what = isOfStore ? "the store of exported files" : "the database";
  return `an attempt failed because ${what} was not available; the export is tried again`;
}

/** What callers learn of the error that ended their export. It contains nothing internal. */
export function reasonOf(error: unknown): Reason {
  if (error instanceof Failure && error.code !== "INTERNAL") {
    const isOfRequest = FAILURES[error.code].http < 500;
    return { code: isOfRequest ? "ErrInvalidRequest" : "ErrInternal", message: error.message };
  }
  if (error instanceof StoreRefused) return { code: "ErrInternal", message: error.message };
  if (isTransient(error)) {
    const message = "the database or the store of exported files was not available for too long";
    return { code: "ErrInternal", message };
  }
  return { code: "ErrInternal", message: "the export failed because of an internal error" };
}
