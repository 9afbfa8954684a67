import type { LastBlock } from "../../export-source.ts";
import { mainClient, primaryClient, type RowClients } from "../../row-clients.ts";
import { createPriceLookup, type Price, priceKey, usdMicros, usdTextOf } from "../shared/prices.ts";
import { createAssetLookup } from "./movement-context.ts";
import type { ExportedNetwork } from "./network.ts";
import type { StakeRow } from "./stake-columns.ts";
import type { StakeFields } from "./stakes.ts";

const AVAX_DECIMALS = 9;

export interface StakeContextOptions {
  readonly networkId: number;
  readonly network: ExportedNetwork;
  readonly bounds: readonly LastBlock[];
  /** Price id of AVAX; null if it has none. */
  readonly avaxPriceId: string | null;
  readonly maxPriceAgeSeconds: number;
}

/**
 * Returns a function that loads the assets and prices of a batch of stakes. Its result is a function that adds them to a stake.
 * Rewards have the price of AVAX when they were paid, like `historicalPrice` in the graph.
 */
export function createStakeContext(
  clients: RowClients,
  { networkId, network, bounds, avaxPriceId, maxPriceAgeSeconds }: StakeContextOptions,
): (stakes: readonly StakeFields[]) => Promise<(stake: StakeFields) => StakeRow> {
  const assets = createAssetLookup(primaryClient(clients, networkId), networkId, bounds);
  const prices = createPriceLookup(mainClient(clients), maxPriceAgeSeconds);
  const keyOf = ({ assetId }: StakeFields, timestamp: string): string | null =>
    avaxPriceId !== null && assetId === network.avaxAssetId ? priceKey(avaxPriceId, timestamp) : null;
  const keysOf = (stake: StakeFields) => timesOf(stake).map((timestamp) => keyOf(stake, timestamp));

  return async (stakes) => {
    const known = await assets(new Set(stakes.map(({ assetId }) => assetId).filter((id) => id !== null)));
    const priced = await prices(new Set(stakes.flatMap(keysOf).filter((key) => key !== null)));
    return (stake) => {
      const priceAt = (timestamp: string) => {
        const key = keyOf(stake, timestamp);
        return key === null ? null : (priced.get(key) ?? null);
      };
      return {
        network,
        fields: stake,
        asset: stake.assetId === null ? null : (known.get(stake.assetId) ?? null),
        rewardPrice: stake.rewardTimestamp === null ? null : priceAt(stake.rewardTimestamp),
        rewardValueUsd: usdOf(ownRewards(stake), priceAt),
      };
    };
  };
}

interface PaidReward {
  readonly amount: bigint;
  readonly timestamp: string;
}

/** The reward outputs of a stake that the exported addresses own. */
function ownRewards({ ownRewards }: StakeFields): PaidReward[] {
  if (ownRewards === null) return [];
  return ownRewards.split(",").map((reward) => {
    const [amount = "", timestamp = ""] = reward.split(":");
    return { amount: BigInt(amount), timestamp };
  });
}

function timesOf(stake: StakeFields): string[] {
  const times = ownRewards(stake).map(({ timestamp }) => timestamp);
  return stake.rewardTimestamp === null ? times : [...times, stake.rewardTimestamp];
}

/** US dollars of rewards; empty text if there are none, or if the price of one is unknown. */
function usdOf(rewards: readonly PaidReward[], priceAt: (timestamp: string) => Price | null): string {
  if (rewards.length === 0) return "";
  let micros = 0n;
  for (const { amount, timestamp } of rewards) {
    const price = priceAt(timestamp);
    if (price === null) return "";
    micros += usdMicros(amount, AVAX_DECIMALS, price);
  }
  return usdTextOf(micros);
}
