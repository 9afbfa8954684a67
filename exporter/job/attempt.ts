import type { Logger } from "../../core/observability/logger.ts";
import type { Connection } from "../connections/connection.ts";
import type { Snapshot } from "../connections/snapshot.ts";
import type { ExportSource } from "../export-source.ts";
import type { FileStore } from "../files/file-store.ts";
import type { Operation } from "../operations.ts";
import type { ExporterTimings } from "../timings.ts";

/** One attempt to run a job. */
export interface Attempt {
  readonly operation: Operation;
  readonly source: ExportSource;
  /** Holds the lock of the operation. All changes of its row use this connection: without the lock, nothing can be changed. */
  readonly session: Connection;
  /** Holds the transactions in which the source reads. */
  readonly snapshot: Snapshot;
  readonly store: FileStore;
  readonly maxRows: number;
  readonly lifetimeSeconds: number;
  readonly nowSeconds: () => number;
  readonly timings: ExporterTimings;
  readonly logger: Logger;
  /** When it is aborted, the attempt ends at once with the signal's reason. */
  readonly signal: AbortSignal;
  /** When it is aborted, the attempt stores what it has, and ends. */
  readonly stop: AbortSignal;
}
