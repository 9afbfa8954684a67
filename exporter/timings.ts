/** Times and sizes of the exporter. Tests shorten them. */
export interface ExporterTimings {
  /** Pause between two searches for jobs of dead workers. */
  readonly sweepMs: number;
  /** Pause between two removals of expired operations. */
  readonly cleanUpMs: number;
  /** Shortest time between two announcements of progress. */
  readonly progressMs: number;
  /** A job that a worker took longer ago than this, but whose lock is free, has a dead worker. */
  readonly deadAfterMs: number;
  /** Time that a job has to store a last part when the worker stops. */
  readonly stopGraceMs: number;
  /** Time without an answer of the store of files after which the message of the operation says so. */
  readonly storePatienceMs: number;
  /** Rows after which a part is stored, if it is not large enough before, at the next place where reading can start again. */
  readonly partRows: number;
  /** Longest pause before another attempt. The first pause is a second; each further one is twice as long. */
  readonly maxRetryMs: number;
}

export const TIMINGS: ExporterTimings = {
  sweepMs: 2_000,
  cleanUpMs: 60_000,
  progressMs: 250,
  deadAfterMs: 3_000,
  stopGraceMs: 2_000,
  storePatienceMs: 2_000,
  partRows: 50_000,
  maxRetryMs: 60_000,
};
