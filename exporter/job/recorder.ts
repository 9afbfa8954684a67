import type { OperationCode, OperationStatus } from "../../core/database/operations.ts";
import { counterOf } from "../../core/observability/registry.ts";
import { changeOperation, exportedFile } from "../operations.ts";
import { JobCancelled, orAborted } from "./abort.ts";
import type { Attempt } from "./attempt.ts";
import type { Checkpoint } from "./checkpoint.ts";

/** Writes the state of an operation into its row. Each change throws `JobCancelled` if the operation does not run any more. */
export interface Recorder {
  /** Records that the first attempt has begun. */
  start(): Promise<void>;
  /** Records rows and bytes, unless they were recorded less than `ExporterTimings.progressMs` ago. */
  progress(rows: number, bytes: number): Promise<void>;
  /**
   * Waits for the store of files. If the store does not answer within `ExporterTimings.storePatienceMs`, the message of the
   * operation says so until it answers.
   */
  untilStored<Result>(request: Promise<Result>): Promise<Result>;
  /** Records a checkpoint, and removes the message about a failed attempt. */
  checkpoint(checkpoint: Checkpoint): Promise<void>;
  /** Ends the operation with a complete file. */
  complete(checkpoint: Checkpoint, sha256: Buffer): Promise<void>;
}

const WAITS_FOR_STORE = "the store of exported files has not answered yet; the export waits for it";

export function createRecorder(attempt: Attempt): Recorder {
  const { operation, session, nowSeconds, timings, signal, lifetimeSeconds, logger } = attempt;
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
      if (performance.now() - announcedAtMs < timings.progressMs) return;
      announcedAtMs = performance.now();
      await change({ row_count: rows, byte_count: bytes });
    },
    async untilStored(request) {
      const waiting: { told?: Promise<unknown> } = {};
      const timer = setTimeout(() => {
        // If that fails because the operation is cancelled, the signal says so.
        waiting.told = change({ message: WAITS_FOR_STORE }).catch(() => {});
      }, timings.storePatienceMs);
      const result = await orAborted(request, signal).finally(() => clearTimeout(timer));
      if (waiting.told) await waiting.told.then(() => change({ message: null }));
      return result;
    },
    async checkpoint(checkpoint) {
      const { rows, bytes, totalRows } = checkpoint;
      announcedAtMs = performance.now();
      await change({
        row_count: rows,
        byte_count: bytes,
        total_rows: totalRows,
        checkpoint: JSON.stringify(checkpoint),
        message: null,
      });
    },
    async complete({ rows, bytes, nextDate, warnings, store }, sha256) {
      const endedAt = nowSeconds();
      const end = await change({
        ...endOf(nextDate),
        message: messageOf(nextDate, attempt.maxRows, warnings),
        checkpoint: store,
        row_count: rows,
        byte_count: bytes,
        total_rows: rows,
        sha256,
        file_name: exportedFile(operation).fileName,
        ended_at: endedAt,
        expires_at: endedAt + lifetimeSeconds,
      });
      counterOf("exportsEnded", { outcome: nextDate === null ? "COMPLETED" : "COMPLETED_WITH_WARNING" }).add();
      logger.info(end, "an export has completed");
    },
  };
}

/** The columns that say whether the file holds the whole export. */
function endOf(nextDate: string | null): Readonly<Record<string, string | null>> {
  const status: OperationStatus = nextDate === null ? "COMPLETED" : "COMPLETED_WITH_WARNING";
  const code: OperationCode | null = nextDate === null ? null : "WarnTruncatedExport";
  return { operation_status: status, code, next_date: nextDate };
}

/** What a person should know about the complete file; null: nothing. */
function messageOf(nextDate: string | null, maxRows: number, warnings: readonly string[]): string | null {
  const truncation = `the export has more than ${maxRows} rows: the file ends before ${nextDate}; start another export with firstDate ${nextDate} for the rest`;
  const texts = nextDate === null ? warnings : [truncation, ...warnings];
  return texts.length === 0 ? null : texts.join("; ");
}
