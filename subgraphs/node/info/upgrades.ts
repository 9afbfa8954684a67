import { UPGRADES, type Upgrade, type UpgradeTimes, upgradeParameters } from "../../../core/networks/upgrades.ts";
import type { NetworkUpgrades } from "./types.ts";

/** RFC 3339 without fractional seconds, as nodes write it. */
const timeText = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace(".000Z", "Z");

/** A network's upgrades, as its nodes return them. */
export function upgradesOf(networkId: number, times: UpgradeTimes): NetworkUpgrades {
  const { graniteEpochNanoseconds, ...same } = upgradeParameters(networkId);
  const texts = Object.fromEntries(UPGRADES.map((name) => [`${name}Time`, timeText(times[name])]));
  return {
    ...(texts as Record<`${Upgrade}Time`, string>),
    ...same,
    graniteEpochDuration: graniteEpochNanoseconds,
    more: null,
  };
}
