import type { AggregationProgress, AggregationResult } from "./protocol/protocol.ts";
import type { SigningTask } from "./signing-task.ts";

/** How much weight must sign. The sum of the two percentages is at most 100. */
export interface Quorum {
  /** 1 to 100. */
  readonly quorumPercentage: number;
  /** Additional weight to try for. An aggregate without it is accepted. */
  readonly quorumPercentageBuffer: number;
}

export interface CollectionCaller {
  /** Aborted when the caller needs the signatures no more. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: AggregationProgress) => void;
}

/** Where aggregates come from: the validators, or an upstream signature-aggregator. */
export interface SignatureSource {
  /**
   * Returns an aggregate that was verified with the validators of the task. Rejects with a `Failure` that says why there is none,
   * and with the signal's reason if the signal is aborted.
   */
  collect(task: SigningTask, quorum: Quorum, caller: CollectionCaller): Promise<AggregationResult>;
}
