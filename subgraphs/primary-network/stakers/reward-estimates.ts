import { z } from "zod";
import { readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import {
  potentialReward,
  type RewardRules,
  rewardRulesAt,
  splitReward,
} from "../../../core/networks/staking-rewards.ts";
import type { Work } from "../../../core/work/work.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { StakerRow } from "./rows.ts";

export interface SubnetKey {
  readonly networkId: string;
  /** `0x` hex. */
  readonly subnetId: string;
}

/** Reward rules of a subnet, and the supply for stakes that would start now. */
export interface RewardOutlook extends SubnetKey {
  readonly rules: RewardRules;
  /** Time from which Helicon rules apply to the subnet, in seconds; null: never. */
  readonly helicon: number | null;
  readonly supply: bigint;
  /** The largest weight of a validator with its delegations, in nAVAX. Null for other subnets than the primary network. */
  readonly maxValidatorStake: bigint | null;
}

export interface OutlookStore {
  /** Outlooks of the subnets that reward stakes; others are left out. One statement for each network. */
  of(keys: readonly SubnetKey[], work: Work): Promise<RewardOutlook[]>;
}

interface Row {
  readonly request: string;
  readonly rules: string;
  readonly supply: string;
  readonly supply_cap: string | null;
  readonly min_rate: string | null;
  readonly max_rate: string | null;
}

/** An elastic subnet has its own rules, but uses the minting period of the network. */
const OF = `SELECT k.request, n.rules, coalesce(e.current_supply, s.current_supply) AS supply,
    e.maximum_supply AS supply_cap, e.min_consumption_rate AS min_rate, e.max_consumption_rate AS max_rate
  FROM unnest($2::bytea[]) WITH ORDINALITY AS k(subnet_id, request)
    JOIN primary_networks n ON n.network_id = $1 JOIN p_chain_states s ON s.network_id = $1
    LEFT JOIN subnets e ON e.network_id = $1 AND e.subnet_id = k.subnet_id
  WHERE e.maximum_supply IS NOT NULL OR k.subnet_id = decode(repeat('00', 32), 'hex')`;

const amount = z.string().transform((text) => BigInt(text));
const storedRules = z.object({
  upgrades: z.object({ helicon: z.number() }),
  rewards: z.object({
    minConsumptionRate: amount,
    maxConsumptionRate: amount,
    mintingPeriodSeconds: amount,
    supplyCap: amount,
    maxValidatorStake: amount,
  }),
});

export function createOutlookStore({ pool }: Pick<Database, "pool">): OutlookStore {
  const read = readRowsOfKeys(prepared<Row & Record<string, unknown>>(pool, "reward-outlooks", OF), {
    partitionOf: ({ networkId }: SubnetKey) => networkId,
    valuesOf: (keys) => [keys.map(({ subnetId }) => bytea(subnetId))],
  });
  return {
    async of(keys, work) {
      const byKey = await read(keys, work);
      return keys.flatMap((key, at) =>
        (byKey[at] ?? []).map((row) => ({ ...key, ...rulesOf(row), supply: BigInt(row.supply) })),
      );
    },
  };
}

function rulesOf({ rules, supply_cap, min_rate, max_rate }: Row): Omit<RewardOutlook, keyof SubnetKey | "supply"> {
  const { rewards, upgrades } = storedRules.parse(JSON.parse(rules));
  const { maxValidatorStake } = rewards;
  if (supply_cap === null) return { rules: rewards, helicon: upgrades.helicon, maxValidatorStake };
  const own = {
    minConsumptionRate: BigInt(min_rate ?? 0),
    maxConsumptionRate: BigInt(max_rate ?? 0),
    mintingPeriodSeconds: rewards.mintingPeriodSeconds,
    supplyCap: BigInt(supply_cap),
  };
  return { rules: own, helicon: null, maxValidatorStake: null };
}

/**
 * Potential reward of a stake. It is fixed at the start of the stake; before that, it is estimated from the outlook. 0
 * if the stake earns no rewards.
 */
export function grossReward(row: StakerRow, outlook: RewardOutlook | null): bigint {
  if (row.potentialReward !== null) return BigInt(row.potentialReward);
  if (row.isPermissioned || !outlook) return 0n;
  const { rules, helicon, supply } = outlook;
  const start = Number(row.startTimestamp);
  const stake = { seconds: Number(row.endTimestamp) - start, amount: BigInt(row.weight) };
  return potentialReward(helicon === null ? rules : rewardRulesAt(rules, helicon, start), stake, supply);
}

/** Delegator's part of a delegation reward, for a validator fee in millionths. */
export const netReward = (gross: bigint, shares: number): bigint => splitReward(gross, shares).delegator;

/** Validator's part of a delegation reward. */
export const shareOfReward = (gross: bigint, shares: number): bigint => splitReward(gross, shares).validator;
