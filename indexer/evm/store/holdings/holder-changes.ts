import type { BalanceChange } from "../../decode/balance-changes.ts";

/** Changes of balances in one block. */
export interface BlockBalances {
  readonly number: number;
  readonly balances: readonly BalanceChange[];
}

/** A holder's balance of a token before and after some blocks; addresses are hex without `0x`. */
export interface HolderChange {
  readonly token: string;
  readonly address: string;
  readonly before: bigint;
  after: bigint;
  /** The highest balance after one of the blocks in which it changed. */
  highest: bigint;
  /** The first block after which the balance was `highest`. */
  highestBlock: number;
}

/** How one block changes the number of holders and the total supply of a token. */
export interface SupplyChange {
  readonly token: string;
  readonly blockNumber: number;
  holders: number;
  supply: bigint;
}

export interface HolderChanges {
  readonly holders: readonly HolderChange[];
  /** By block and token; without changes of 0. */
  readonly supplies: readonly SupplyChange[];
}

/** The pairs of token and address whose balance changes in the blocks, each once. */
export function changedPairs(blocks: readonly BlockBalances[]): [token: string, address: string][] {
  const pairs = new Map<string, [string, string]>();
  for (const { balances } of blocks)
    for (const { token, address } of balances) pairs.set(token + address, [token, address]);
  return [...pairs.values()];
}

/**
 * The changes of consecutive blocks. `before` returns a balance before the first block. Every balance above 0 makes a holder;
 * the total supply is the sum of all balances.
 */
export function holderChanges(
  blocks: readonly BlockBalances[],
  before: (token: string, address: string) => bigint,
): HolderChanges {
  const holders = new Map<string, HolderChange>();
  const supplies: SupplyChange[] = [];
  for (const { number, balances } of blocks) {
    const inBlock = new Map<string, SupplyChange>();
    for (const { token, address, amount } of balances) {
      const holder = holders.get(token + address) ?? firstChange(token, address, before(token, address));
      holders.set(token + address, holder);
      const supply = inBlock.get(token) ?? { token, blockNumber: number, holders: 0, supply: 0n };
      inBlock.set(token, supply);
      const held = holder.after;
      holder.after += amount;
      supply.supply += amount;
      supply.holders += Number(holder.after > 0n) - Number(held > 0n);
      if (holder.highestBlock === -1 || holder.after > holder.highest) {
        holder.highest = holder.after;
        holder.highestBlock = number;
      }
    }
    for (const change of inBlock.values()) if (change.holders !== 0 || change.supply !== 0n) supplies.push(change);
  }
  return { holders: [...holders.values()], supplies };
}

const firstChange = (token: string, address: string, before: bigint): HolderChange => ({
  token,
  address,
  before,
  after: before,
  highest: before,
  highestBlock: -1,
});
