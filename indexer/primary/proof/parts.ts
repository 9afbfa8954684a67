import { setTimeout as sleep } from "node:timers/promises";
import { BadUpstreamData } from "../../../core/errors/errors.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { NodeUnavailable, RpcError } from "../../shared/node/errors.ts";
import { ZERO_ID } from "../network/chains.ts";
import type { ComparisonDeps, ComparisonResult } from "../verify/comparison.ts";
import { type Heights, sameHeights } from "../verify/heights.ts";
import { compareOutputs } from "../verify/outputs.ts";
import { compareState, compareSubnets, compareSupply } from "../verify/state.ts";
import { compareValidatorSet } from "../verify/validator-sets.ts";
import { compareL1Validators, compareStakers } from "../verify/validators.ts";
import { EMPTY_SAMPLE, type Sample } from "./sample.ts";

/** A part of the state of one chain. */
export interface Part {
  readonly name: string;
  readonly chain: PrimaryChain;
  /** The chains whose blocks change this part. */
  readonly dependsOn: readonly PrimaryChain[];
  /** What the next comparison includes again if this part differs. */
  readonly sample: Sample;
  readonly compare: (deps: ComparisonDeps, heights: Heights) => Promise<ComparisonResult>;
}

/** The parts of a sample. Each asks the node a few questions only, so that both sides seldom get a new block meanwhile. */
export function partsOf({ subnets, nodes, validations, owners }: Sample, chains: readonly PrimaryChain[]): Part[] {
  const ofP = (name: string, compare: Part["compare"], sample: Partial<Sample> = {}): Part => ({
    name,
    chain: "P",
    dependsOn: ["P"],
    sample: { ...EMPTY_SAMPLE, ...sample },
    compare,
  });
  const outputs = chains.flatMap((chain) =>
    owners.map(
      (owner): Part => ({
        name: "unspent outputs",
        chain,
        dependsOn: chains,
        sample: { ...EMPTY_SAMPLE, owners: [owner] },
        compare: (deps) => compareOutputs(deps, [owner], chains, [chain]),
      }),
    ),
  );
  return [
    ofP("time and fees", compareState),
    ofP("supply", (deps) => compareSupply(deps, subnets), { subnets }),
    ofP("subnets", (deps) => compareSubnets(deps, subnets), { subnets }),
    ofP("validator set", (deps, { P = 0 }) => compareValidatorSet(deps, ZERO_ID, BigInt(P))),
    ...nodes.map((node) => ofP("validators and delegators", (deps) => compareStakers(deps, [node]), { nodes: [node] })),
    ...validations.map((validation) =>
      ofP("L1 validators", (deps) => compareL1Validators(deps, [validation]), { validations: [validation] }),
    ),
    ...outputs,
  ];
}

/** How often a part is compared again because a block came meanwhile, or because it differs. */
const ATTEMPTS = 4;

/**
 * Compares a part while the index and the node stay at the same height. Null if they never do, or if the node has no such answer. Only a
 * difference that two comparisons have found counts. Rejects with `NodeUnavailable` if the node does not respond.
 */
export async function compareAtRest(
  deps: ComparisonDeps,
  part: Part,
  pause: { readonly ms: number; readonly signal: AbortSignal },
): Promise<ComparisonResult | null> {
  let before: ComparisonResult | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(pause.ms, undefined, { signal: pause.signal });
    const found = await compareOnce(deps, part);
    if (found === "unanswered") return null;
    if (found === "moved") continue;
    const known = before && new Set(before.differences.map(({ what }) => what));
    const differences = known ? found.differences.filter(({ what }) => known.has(what)) : found.differences;
    if (known || differences.length === 0) return { ...found, differences };
    before = found;
  }
  return null;
}

async function compareOnce(deps: ComparisonDeps, part: Part): Promise<ComparisonResult | "moved" | "unanswered"> {
  try {
    const heights = await sameHeights(deps, part.dependsOn);
    if (!heights) return "moved";
    const found = await part.compare(deps, heights);
    const after = await sameHeights(deps, part.dependsOn);
    return JSON.stringify(after) === JSON.stringify(heights) ? found : "moved";
  } catch (error) {
    // A node may refuse a method, not have an API, or have another form of its answers: then there is nothing to compare.
    const isAnswer = error instanceof RpcError || error instanceof BadUpstreamData;
    if (isAnswer || (error instanceof NodeUnavailable && error.isMissing)) return "unanswered";
    throw error;
  }
}
