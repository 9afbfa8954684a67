import { z } from "zod";
import { type Database, prepared } from "../../../core/database.ts";
import { potentialReward, type RewardRules, rewardRulesAt, splitReward } from "../../../core/staking-rewards.ts";
import type { StakerRow } from "./rows.ts";

export interface SubnetKey {
  readonly networkId: string;
  /** `0x` hex. */
  readonly subnetId: string;
}

/** By which rules stakes on a subnet earn, and the supply that they would earn from if they began now. */
export interface RewardOutlook extends SubnetKey {
  readonly rules: RewardRules;
  /** From when on the rules of Helicon are those of the subnet, in seconds; null: never. */
  readonly helicon: number | null;
  readonly supply: bigint;
}

export interface OutlookStore {
  /** Of each subnet that rewards stakes; one statement. */
  of(keys: readonly SubnetKey[]): Promise<RewardOutlook[]>;
}

interface Row {
  readonly ask: string;
  readonly rules: string;
  readonly supply: string;
  readonly supply_cap: string | null;
  readonly min_rate: string | null;
  readonly max_rate: string | null;
}

/** On an elastic subnet the minting period is the network's, all else its own. */
const OF = `SELECT k.ask, n.rules, coalesce(e.current_supply, s.current_supply) AS supply,
    e.maximum_supply AS supply_cap, e.min_consumption_rate AS min_rate, e.max_consumption_rate AS max_rate
  FROM unnest($1::bigint[], $2::bytea[]) WITH ORDINALITY AS k(network_id, subnet_id, ask)
    JOIN primary_networks n USING (network_id) JOIN p_chain_states s USING (network_id)
    LEFT JOIN subnets e ON e.network_id = k.network_id AND e.subnet_id = k.subnet_id
  WHERE e.maximum_supply IS NOT NULL OR k.subnet_id = decode(repeat('00', 32), 'hex')`;

const amount = z.string().transform((text) => BigInt(text));
const storedRules = z.object({
  upgrades: z.object({ helicon: z.number() }),
  rewards: z.object({
    minConsumptionRate: amount,
    maxConsumptionRate: amount,
    mintingPeriodSeconds: amount,
    supplyCap: amount,
  }),
});

export function createOutlookStore({ pool }: Pick<Database, "pool">): OutlookStore {
  const read = prepared<Row & Record<string, unknown>>(pool, "reward-outlooks", OF);
  return {
    async of(keys) {
      const rows = await read([
        keys.map(({ networkId }) => networkId),
        keys.map(({ subnetId }) => `\\x${subnetId.slice(2)}`),
      ]);
      return rows.map((row) => ({
        ...(keys[Number(row.ask) - 1] as SubnetKey),
        ...rulesOf(row),
        supply: BigInt(row.supply),
      }));
    },
  };
}

function rulesOf({ rules, supply_cap, min_rate, max_rate }: Row): Pick<RewardOutlook, "rules" | "helicon"> {
  const { rewards, upgrades } = storedRules.parse(JSON.parse(rules));
  if (supply_cap === null) return { rules: rewards, helicon: upgrades.helicon };
  const own = {
    minConsumptionRate: BigInt(min_rate ?? 0),
    maxConsumptionRate: BigInt(max_rate ?? 0),
    mintingPeriodSeconds: rewards.mintingPeriodSeconds,
    supplyCap: BigInt(supply_cap),
  };
  return { rules: own, helicon: null };
}

/** What a stake can earn: decided when it began, else by the outlook of now. 0 where there are no rewards. */
export function grossReward(row: StakerRow, outlook: RewardOutlook | null): bigint {
  if (row.potentialReward !== null) return BigInt(row.potentialReward);
  if (row.isPermissioned || !outlook) return 0n;
  const { rules, helicon, supply } = outlook;
  const start = Number(row.startTimestamp);
  const stake = { seconds: Number(row.endTimestamp) - start, amount: BigInt(row.weight) };
  return potentialReward(helicon === null ? rules : rewardRulesAt(rules, helicon, start), stake, supply);
}

/** What of a delegation's reward is the delegator's, at a validator's fee in millionths. */
export const netReward = (gross: bigint, shares: number): bigint => splitReward(gross, shares).delegator;

/** What of it is the validator's. */
export const shareOfReward = (gross: bigint, shares: number): bigint => splitReward(gross, shares).validator;
