import { setTimeout as sleep } from "node:timers/promises";
import { compareCheckpoints } from "./checkpoints.ts";
import type { ComparisonDeps, ComparisonResult, Difference } from "./comparison.ts";
import { indexedChains, untilSameHeights } from "./heights.ts";
import { compareOutputs, someOwners } from "./outputs.ts";
import { compareState, compareSubnets, compareSupply } from "./state.ts";
import { compareValidatorSets } from "./validator-sets.ts";
import { compareL1Validators, compareStakers } from "./validators.ts";

const ATTEMPTS = 5;
const PAUSE_MS = 1_000;

/** A part of the state with the result of its comparison. */
export interface Verified extends ComparisonResult {
  readonly part: string;
}

type Compare = (compared: ComparisonDeps) => Promise<ComparisonResult>;

/**
 * Compares the rows with all data that a node still returns: time, fees, supply, subnets, stakers, L1 validators, and every
 * unspent output of `owners` addresses. Both sides change during the comparison, so only a difference that persists over
 * several attempts is reported. Each attempt begins when the index has the node's last blocks. Rejects with `DifferentHeights` if it does
 * not get them, and with `NodeUnavailable` if the node does not respond.
 */
export async function* verify(compared: ComparisonDeps, owners: number, pauseMs = PAUSE_MS): AsyncGenerator<Verified> {
  const addresses = await someOwners(compared, owners);
  const indexed = await indexedChains(compared);
  const parts: Readonly<Record<string, Compare>> = {
    "time and fees": compareState,
    supply: compareSupply,
    subnets: compareSubnets,
    "validators and delegators": compareStakers,
    "L1 validators": compareL1Validators,
    "validator sets": compareValidatorSets,
    [`outputs of ${addresses.length} addresses`]: (all) => compareOutputs(all, addresses, indexed),
  };
  for (const [part, compare] of Object.entries(parts))
    yield { part, ...(await persistentDifferences(compared, compare, pauseMs)) };
  const checkpoints = await compareCheckpoints(compared);
  if (checkpoints.compared > 0) yield { part: "checkpoints", ...checkpoints };
}

async function persistentDifferences(
  compared: ComparisonDeps,
  compare: Compare,
  pauseMs: number,
): Promise<ComparisonResult> {
  await untilSameHeights(compared, pauseMs);
  let found = await compare(compared);
  let differences: readonly Difference[] = found.differences;
  for (let attempt = 1; attempt < ATTEMPTS && differences.length > 0; attempt++) {
    await sleep(pauseMs);
    await untilSameHeights(compared, pauseMs);
    found = await compare(compared);
    const before = new Set(differences.map(({ what }) => what));
    differences = found.differences.filter(({ what }) => before.has(what));
  }
  return { compared: found.compared, differences };
}
