import type { OperationStatus } from "../../core/operations.ts";
import { changeOperation, exportedFile } from "../operations.ts";
import { JobCancelled, orAborted } from "./abort.ts";
import type { Attempt } from "./attempt.ts";
import type { Checkpoint } from "./checkpoint.ts";

/** Writes the state of a running operation into its row. Each method throws `JobCancelled` if it does not run any more. */
export interface Recorder {
  /** Records that the first attempt has begun. */
  start(): Promise<void>;
  /** Records rows and bytes, unless that was done a moment ago. */
  progress(rows: number, bytes: number): Promise<void>;
  checkpoint(checkpoint: Checkpoint): Promise<void>;
  /** Ends the operation with a complete file. */
  complete(checkpoint: Checkpoint, sha256: Buffer): Promise<void>;
}

export function createRecorder(attempt: Attempt): Recorder {
  const { operation, session, nowSeconds, pace, signal, lifetimeSeconds, logger } = attempt;
  const change = async (columns: Parameters<typeof changeOperation>[2]) => {
    const changed = changeOperation(session.client, operation.operationId, columns, { nowSeconds: nowSeconds() });
    const summary = await orAborted(changed, signal);
    if (!summary) throw new JobCancelled("the operation does not run any more");
    return summary;
  };
  let announcedAtMs = Number.NEGATIVE_INFINITY;
  return {
    async start() {
      if (operation.isStarted) return;
      const { type, status } = await change({ started_at: nowSeconds() });
      logger.info({ type, status }, "an export has started");
    },
    async progress(rows, bytes) {
      if (performance.now() - announcedAtMs < pace.progressMs) return;
      announcedAtMs = performance.now();
      await change({ row_count: rows, byte_count: bytes });
    },
    async checkpoint(checkpoint) {
      const { rows, bytes, totalRows } = checkpoint;
      announcedAtMs = performance.now();
      const counts = { row_count: rows, byte_count: bytes, total_rows: totalRows };
      await change({ ...counts, checkpoint: JSON.stringify(checkpoint) });
    },
    async complete({ rows, bytes, nextDate, store }, sha256) {
      const endedAt = nowSeconds();
      const end = await change({
        ...endOf(nextDate, attempt.maxRows),
        checkpoint: store,
        row_count: rows,
        byte_count: bytes,
        total_rows: rows,
        sha256,
        file_name: exportedFile(operation).fileName,
        ended_at: endedAt,
        expires_at: endedAt + lifetimeSeconds,
      });
      logger.info(end, "an export has completed");
    },
  };
}

interface CompleteEnd {
  readonly operation_status: OperationStatus;
  readonly code: string | null;
  readonly message: string | null;
  readonly next_date: string | null;
  readonly [column: string]: string | null;
}

/** The columns that say whether the file holds the whole export. */
function endOf(nextDate: string | null, maxRows: number): CompleteEnd {
  if (nextDate === null) return { operation_status: "COMPLETED", code: null, message: null, next_date: null };
  return {
    operation_status: "COMPLETED_WITH_WARNING",
    code: "WarnTruncatedExport",
    message: `the export has more than ${maxRows} rows: the file ends before ${nextDate}; start another export with firstDate ${nextDate} for the rest`,
    next_date: nextDate,
  };
}
