import { periodStart } from "../../../../../core/networks/periods.ts";
import { ZERO_ID } from "../../../network/chains.ts";
import type { NetworkFacts } from "../../../network/network.ts";
import type { Batch } from "../batch.ts";
import type { MovedTransaction } from "../repeated-transactions.ts";
import type { RowOf } from "../tables.ts";
import type { EndState } from "./p-chain-hours.ts";

/** Columns of `primary_activity` that are sums over a period. */
export const SUMS = ["blocks", "transactions", "fees_burned", "rewards_paid", "l1_validator_fees"] as const;
export type Sums = Record<(typeof SUMS)[number], bigint>;

/** What is added to the figures of a chain in one hour. */
export interface HourFigures {
  readonly chain: string;
  /** First second of the hour. */
  readonly start: number;
  readonly sums: Sums;
  /** The state of the P-Chain after the last block of the hour; null on other chains. */
  readonly state: EndState | null;
}

/** The hours to which a batch adds something. */
function createHours({ byStart }: Batch["pChainHours"]) {
  const hours = new Map<string, Map<number, HourFigures>>();
  return {
    all: (): HourFigures[] => [...hours.values()].flatMap((ofChain) => [...ofChain.values()]),
    add(chain: string, timestamp: number | bigint, name: keyof Sums, amount: bigint): void {
      if (amount === 0n) return;
      const start = periodStart("HOUR", Number(timestamp));
      const ofChain = hours.get(chain) ?? new Map<number, HourFigures>();
      hours.set(chain, ofChain);
      const state = chain === "P" ? (byStart.get(start)?.state ?? null) : null;
      const hour = ofChain.get(start) ?? { chain, start, sums: noSums(), state };
      ofChain.set(start, hour);
      hour.sums[name] += amount;
    },
  };
}

/**
 * What a batch adds to the figures of its hours. The sums are those of its rows: a block or vertex at its time, a transaction and what it
 * burned at the time of its row, a repetition at the time of its block, and a reward at the time when it was paid.
 */
export function hoursOf(
  { added, pChainHours }: Pick<Batch, "added" | "pChainHours">,
  { avaxAssetId }: Pick<NetworkFacts, "avaxAssetId">,
  moved: readonly MovedTransaction[],
): HourFigures[] {
  const { all, add } = createHours(pChainHours);
  for (const { chain, block_timestamp } of added.primary_blocks) add(chain, block_timestamp, "blocks", 1n);
  for (const { vertex_timestamp } of added.x_chain_vertices) add("X", vertex_timestamp, "blocks", 1n);
  for (const row of added.primary_transactions) {
    add(row.chain, row.block_timestamp, "transactions", 1n);
    add(row.chain, row.block_timestamp, "fees_burned", burnedBy(row, avaxAssetId));
  }
  for (const { chain, block_timestamp } of added.primary_repeated_transactions)
    add(chain, block_timestamp, "transactions", 1n);
  for (const { chain, burned, from, to } of moved) {
    add(chain, from, "fees_burned", -burned);
    add(chain, to, "fees_burned", burned);
  }
  for (const { subnet_id, reward_timestamp, amount } of added.primary_rewards)
    if (subnet_id === ZERO_ID) add("P", reward_timestamp, "rewards_paid", BigInt(amount));
  for (const [start, { l1ValidatorFees }] of pChainHours.byStart) add("P", start, "l1_validator_fees", l1ValidatorFees);
  return all();
}

export const noSums = (): Sums => ({
  blocks: 0n,
  transactions: 0n,
  fees_burned: 0n,
  rewards_paid: 0n,
  l1_validator_fees: 0n,
});

function burnedBy({ burned_asset_ids, burned_amounts }: RowOf<"primary_transactions">, avaxAssetId: string): bigint {
  const at = burned_asset_ids.indexOf(avaxAssetId);
  return at < 0 ? 0n : BigInt(burned_amounts[at] ?? 0);
}
