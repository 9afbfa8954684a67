import type { Session } from "../../../shared/writer.ts";
import { ZERO_ADDRESS } from "../../decode/balance-changes.ts";
import {
  type BalanceAfter,
  type BalanceKey,
  type BalanceTable,
  loadBalances,
  storeBalances,
} from "./current-balances.ts";
import type { SupplyChange } from "./holder-changes.ts";
import type { SupplyTable } from "./supplies.ts";

/** The transfer of some tokens with one id; addresses are hex without `0x`. */
export interface NftTransfer {
  readonly from: string;
  readonly to: string;
  readonly token: string;
  readonly tokenId: string;
  readonly ercType: string;
  readonly value: bigint;
}

/** Transfers of one block. */
export interface BlockTransfers {
  readonly number: number;
  readonly transfers: readonly NftTransfer[];
}

/** A level at which the tokens of an address are counted. */
interface Level {
  readonly balances: BalanceTable;
  readonly supplies: SupplyTable;
  /** The key of a balance, in the order of the table. */
  keyOf(transfer: NftTransfer, address: string): BalanceKey;
  /** The token of the supply to which a balance belongs; null if it belongs to none. */
  tokenOf(key: BalanceKey): string | null;
}

/** Token ids. Those of ERC-721 collections have no supplies. */
const ITEMS: Level = {
  balances: {
    name: "nft_holdings",
    history: "nft_item_balances",
    key: { address: "bytea", token_address: "bytea", token_id: "numeric", erc_type: "text" },
  },
  supplies: "erc1155_supplies",
  keyOf: ({ token, tokenId, ercType }, address) => [address, token, tokenId, ercType],
  tokenOf: ([, token, tokenId, ercType]) => (ercType === "ERC-1155" ? `${token} ${tokenId}` : null),
};

/** Collections, with all their token ids together. */
const COLLECTIONS: Level = {
  balances: {
    name: "nft_holders",
    history: "nft_collection_balances",
    key: { token_address: "bytea", address: "bytea" },
  },
  supplies: "nft_supplies",
  keyOf: ({ token }, address) => [token, address],
  tokenOf: ([token = null]) => token,
};

export const LEVELS = [ITEMS, COLLECTIONS] as const;

/** A balance before and after a block. */
interface BlockStep extends BalanceAfter {
  readonly before: bigint;
}

/** Adds the transfers of consecutive blocks to the current balances. Returns how each block changes each balance. At most three statements and a COPY. */
export async function changeBalances(
  session: Session,
  chainId: string,
  level: Level,
  blocks: readonly BlockTransfers[],
): Promise<BlockStep[]> {
  const changes = blocks.flatMap((block) => changesOf(level, block));
  const keys = new Map(changes.map(({ id, key }) => [id, key]));
  const stored = await loadBalances(session, level.balances, chainId, [...keys.values()]);
  const latest = new Map([...keys.keys()].map((id, i) => [id, stored[i] ?? 0n]));
  const steps = changes.map(({ id, key, blockNumber, amount }): BlockStep => {
    const before = latest.get(id) ?? 0n;
    const balance = before + amount;
    latest.set(id, balance);
    return { key, blockNumber, before, balance };
  });
  const ends = [...keys].map(([id, key], i) => ({ key, before: stored[i] ?? 0n, after: latest.get(id) ?? 0n }));
  await storeBalances(session, level.balances, chainId, ends);
  return steps;
}

/** How much a block changes a balance. */
interface Change {
  /** The key as a text. */
  readonly id: string;
  readonly key: BalanceKey;
  readonly blockNumber: number;
  amount: bigint;
}

/** Without sums of 0. */
function changesOf(level: Level, { number, transfers }: BlockTransfers): Change[] {
  const changes = new Map<string, Change>();
  for (const transfer of transfers)
    for (const [address, amount] of sidesOf(transfer)) {
      const key = level.keyOf(transfer, address);
      const id = key.join(" ");
      const change = changes.get(id);
      if (change) change.amount += amount;
      else changes.set(id, { id, key, blockNumber: number, amount });
    }
  return [...changes.values()].filter(({ amount }) => amount !== 0n);
}

/** The balances that transfers change, also if the changes add up to 0. Each once. */
export function keysOf(level: Level, transfers: readonly NftTransfer[]): BalanceKey[] {
  const keys = new Map<string, BalanceKey>();
  for (const transfer of transfers)
    for (const [address] of sidesOf(transfer)) {
      const key = level.keyOf(transfer, address);
      keys.set(key.join(" "), key);
    }
  return [...keys.values()];
}

/** The zero address has no balance. */
const sidesOf = ({ from, to, value }: NftTransfer): (readonly [address: string, amount: bigint])[] =>
  [[from, -value] as const, [to, value] as const].filter(([address]) => address !== ZERO_ADDRESS);

/** How each block changes the supplies, by block and token, without changes of 0. */
export function supplyChangesOf({ tokenOf }: Level, steps: readonly BlockStep[]): SupplyChange[] {
  const changes = new Map<string, SupplyChange>();
  for (const { key, blockNumber, before, balance } of steps) {
    const token = tokenOf(key);
    if (token === null) continue;
    const id = `${blockNumber} ${token}`;
    const change = changes.get(id) ?? { token, blockNumber, holders: 0, supply: 0n };
    changes.set(id, change);
    change.holders += Number(balance > 0n) - Number(before > 0n);
    change.supply += balance - before;
  }
  return [...changes.values()].filter(({ holders, supply }) => holders !== 0 || supply !== 0n);
}
