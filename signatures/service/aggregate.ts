import { Failure } from "../../core/errors/errors.ts";
import type { AggregationInput, AggregationProgress, AggregationResult } from "../protocol/protocol.ts";
import type { Resolver } from "../resolve/resolver.ts";
import type { CollectionCaller, SignatureSource } from "../signature-source.ts";

export interface AggregateDeps {
  readonly resolver: Resolver;
  readonly source: SignatureSource;
}

const PROPOSED_HEIGHT = "0";

/**
 * Finds what to sign and collects the signatures. If that fails after some progress, the last progress has the state `FAILED`.
 */
export async function aggregate(
  deps: AggregateDeps,
  input: AggregationInput,
  { signal, onProgress }: CollectionCaller,
): Promise<AggregationResult> {
  const latest: AggregationProgress[] = [];
  const note = (progress: AggregationProgress) => {
    latest[0] = progress;
    onProgress(progress);
  };
  try {
    return await collect(deps, input, { signal, onProgress: note });
  } catch (error) {
    const [progress] = latest;
    if (progress && !signal.aborted) onProgress({ ...progress, state: "FAILED" });
    throw error;
  }
}

/**
 * If too few validators of the proposed height sign, and another height has been proposed meanwhile, the validators of that one
 * are asked, once.
 */
async function collect(
  { resolver, source }: AggregateDeps,
  input: AggregationInput,
  caller: CollectionCaller,
): Promise<AggregationResult> {
  const task = await resolver.resolve(input);
  try {
    return await source.collect(task, input, caller);
  } catch (error) {
    const isForNow = error instanceof Failure && error.code === "UNAVAILABLE";
    if (!isForNow || input.pChainHeight !== PROPOSED_HEIGHT || caller.signal.aborted) throw error;
    const newer = await resolver.resolve(input);
    if (newer.pChainHeight === task.pChainHeight) throw error;
    return source.collect(newer, input, caller);
  }
}
