import { setTimeout as sleep } from "node:timers/promises";
import type { Compared, Difference, Found } from "./comparison.ts";
import { compareOutputs, someOwners } from "./outputs.ts";
import { compareState, compareSubnets, compareSupply } from "./state.ts";
import { compareL1Validators, compareStakers } from "./validators.ts";

const ATTEMPTS = 5;
const PAUSE_MS = 1_000;

/** A part of the state, and what came of comparing it. */
export interface Verified extends Found {
  readonly part: string;
}

type Compare = (compared: Compared) => Promise<Found>;

/**
 * Compares everything that a live node still knows with the rows: time, fees, supply, subnets, stakers, L1 validators, and
 * every unspent output of `owners` addresses. Both sides move meanwhile, so a difference counts that is there again each
 * time it is looked at. Rejects with `NodeUnavailable` when the node cannot be asked.
 */
export async function* verify(compared: Compared, owners: number, pauseMs = PAUSE_MS): AsyncGenerator<Verified> {
  const addresses = await someOwners(compared, owners);
  const parts: Readonly<Record<string, Compare>> = {
    "time and fees": compareState,
    supply: compareSupply,
    subnets: compareSubnets,
    "validators and delegators": compareStakers,
    "L1 validators": compareL1Validators,
    [`outputs of ${addresses.length} addresses`]: (all) => compareOutputs(all, addresses),
  };
  for (const [part, compare] of Object.entries(parts)) yield { part, ...(await lasting(compared, compare, pauseMs)) };
}

async function lasting(compared: Compared, compare: Compare, pauseMs: number): Promise<Found> {
  let found = await compare(compared);
  let differences: readonly Difference[] = found.differences;
  for (let attempt = 1; attempt < ATTEMPTS && differences.length > 0; attempt++) {
    await sleep(pauseMs);
    found = await compare(compared);
    const before = new Set(differences.map(({ what }) => what));
    differences = found.differences.filter(({ what }) => before.has(what));
  }
  return { compared: found.compared, differences };
}
