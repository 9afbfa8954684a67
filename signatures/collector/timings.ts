/** Times of a collection, in milliseconds. */
export interface CollectorTimings {
  /** A collection ends at the latest after this time. */
  readonly totalMs: number;
  /** Time in which enough validators must be connected. */
  readonly connectMs: number;
  /** Pause before addresses are looked up again while too few validators are connected. */
  readonly lookUpPauseMs: number;
  /** Time for one answer. Nodes give themselves at most 10 seconds. */
  readonly requestMs: number;
  /** How long, at the beginning, only a few more validators than needed are asked, if there are many. */
  readonly spareMs: number;
  /** How long validators that may not have seen the message yet, or are busy, are asked again. */
  readonly lagMs: number;
  /** Pause before a validator is asked again. Each further pause is twice as long, up to `maxPauseMs`. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** How long a collection that has the quorum waits for further connections, for the buffer's sake. */
  readonly bufferConnectMs: number;
}

export const COLLECTOR_TIMINGS: CollectorTimings = {
  totalMs: 55_000,
  connectMs: 30_000,
  lookUpPauseMs: 5_000,
  requestMs: 10_000,
  spareMs: 500,
  lagMs: 8_000,
  firstPauseMs: 250,
  maxPauseMs: 2_000,
  bufferConnectMs: 2_000,
};
