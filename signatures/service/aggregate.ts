import { Failure } from "../../core/errors.ts";
import type { AggregationInput, AggregationResult } from "../../core/signature-service/protocol.ts";
import type { Resolver } from "../resolve/resolver.ts";
import type { CollectionCaller, SignatureSource } from "../signature-source.ts";

export interface AggregateDeps {
  readonly resolver: Resolver;
  readonly source: SignatureSource;
}

const PROPOSED_HEIGHT = "0";

/**
 * Finds what to sign and collects the signatures. If too few validators of the proposed height sign, and another height has been
 * proposed meanwhile, the validators of that one are asked, once.
 */
export async function aggregate(
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
