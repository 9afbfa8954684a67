import type { PrimaryNetworkConfig } from "../../../core/config-schema.ts";
import { UNSCHEDULED, UPGRADES, type UpgradeTimes } from "../../../core/upgrades.ts";
import type { NodeRules } from "../fetch/source.ts";
import { defaultRules, formatRules, type NetworkRules } from "./rules.ts";

/** True for mainnet and Fuji, whose rules are the same everywhere: a node can only tell of upgrades that are new. */
export const isWellKnown = (networkId: number): boolean => networkId === 1 || networkId === 5;

/** The rules of a network: by its settings and files, else as the node tells them, else as stored, else by default. */
export function chosenRules(
  { networkId, rewards }: Pick<PrimaryNetworkConfig, "networkId" | "rewards">,
  fromFile: UpgradeTimes | null,
  told: NodeRules,
  stored: NetworkRules | null,
): NetworkRules {
  const base = defaultRules(networkId);
  const known = { ...(stored ?? base), ...told };
  const { minConsumptionRate, maxConsumptionRate, mintingPeriodSeconds, supplyCap, maxValidatorStake } = rewards;
  return {
    upgrades: fromFile ?? (isWellKnown(networkId) ? withNew(base.upgrades, known.upgrades) : known.upgrades),
    l1Fees: isWellKnown(networkId) ? base.l1Fees : known.l1Fees,
    dynamicFees: isWellKnown(networkId) ? base.dynamicFees : known.dynamicFees,
    rewards: {
      minConsumptionRate: BigInt(minConsumptionRate),
      maxConsumptionRate: BigInt(maxConsumptionRate),
      mintingPeriodSeconds: BigInt(mintingPeriodSeconds),
      supplyCap,
      maxValidatorStake,
    },
  };
}

function withNew(known: UpgradeTimes, told: UpgradeTimes): UpgradeTimes {
  const times = UPGRADES.map((name) => [name, known[name] === UNSCHEDULED ? told[name] : known[name]]);
  return Object.fromEntries(times) as UpgradeTimes;
}

/** True when two sets of rules say the same of all times up to this one (seconds). */
export function isOfTheFuture(one: NetworkRules, other: NetworkRules, timestamp: number): boolean {
  const isUnfelt = (name: keyof UpgradeTimes) => one.upgrades[name] > timestamp && other.upgrades[name] > timestamp;
  const changed = UPGRADES.filter((name) => one.upgrades[name] !== other.upgrades[name]);
  const sameTimes = { ...other, upgrades: one.upgrades };
  return changed.every(isUnfelt) && (isUnfelt("etna") || formatRules(sameTimes) === formatRules(one));
}
