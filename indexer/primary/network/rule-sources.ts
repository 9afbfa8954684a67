import type { PrimaryNetworkConfig } from "../../../core/config/config-schema.ts";
import { UNSCHEDULED, UPGRADES, type UpgradeTimes } from "../../../core/networks/upgrades.ts";
import { defaultRules, formatRules, type NetworkRules, type NodeRules } from "./rules.ts";

/** True for mainnet and Fuji, whose rules are built in: a node can only add the times of upgrades that have no built-in time. */
export const isWellKnown = (networkId: number): boolean => networkId === 1 || networkId === 5;

/**
 * The rules of a network. Sources in the order of precedence: settings and files, built-in rules (mainnet and Fuji), the node, the
 * database, defaults.
 */
export function chosenRules(
  { networkId, rewards }: Pick<PrimaryNetworkConfig, "networkId" | "rewards">,
  upgradesFile: UpgradeTimes | null,
  fromNode: NodeRules,
  stored: NetworkRules | null,
): NetworkRules {
  const builtIn = defaultRules(networkId);
  const known = { ...(stored ?? builtIn), ...fromNode };
  const { minConsumptionRate, maxConsumptionRate, mintingPeriodSeconds, supplyCap, maxValidatorStake } = rewards;
  return {
    upgrades:
      upgradesFile ?? (isWellKnown(networkId) ? withNewlyScheduled(builtIn.upgrades, known.upgrades) : known.upgrades),
    l1Fees: isWellKnown(networkId) ? builtIn.l1Fees : known.l1Fees,
    dynamicFees: isWellKnown(networkId) ? builtIn.dynamicFees : known.dynamicFees,
    rewards: {
      minConsumptionRate: BigInt(minConsumptionRate),
      maxConsumptionRate: BigInt(maxConsumptionRate),
      mintingPeriodSeconds: BigInt(mintingPeriodSeconds),
      supplyCap,
      maxValidatorStake,
    },
  };
}

function withNewlyScheduled(builtIn: UpgradeTimes, known: UpgradeTimes): UpgradeTimes {
  const times = UPGRADES.map((name) => [name, builtIn[name] === UNSCHEDULED ? known[name] : builtIn[name]]);
  return Object.fromEntries(times) as UpgradeTimes;
}

/** True if two sets of rules differ only in upgrades and fees that take effect after this time (seconds). */
export function differOnlyAfter(one: NetworkRules, other: NetworkRules, timestamp: number): boolean {
  const isLater = (name: keyof UpgradeTimes) => one.upgrades[name] > timestamp && other.upgrades[name] > timestamp;
  const changed = UPGRADES.filter((name) => one.upgrades[name] !== other.upgrades[name]);
  const withSameUpgrades = { ...other, upgrades: one.upgrades };
  return changed.every(isLater) && (isLater("etna") || formatRules(withSameUpgrades) === formatRules(one));
}
