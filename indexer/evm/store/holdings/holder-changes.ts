import type { BalanceChange } from "../../decode/balance-changes.ts";

/** Changes of balances in one block. */
export interface BlockBalances {
  readonly number: number;
  readonly balances: readonly BalanceChange[];
}

/** How some blocks change an address's balance of a token; addresses are hex without `0x`. */
export interface HolderChange {
  readonly token: string;
  readonly address: string;
  /** Token and address concatenated, as a key. */
  readonly pair: string;
  /** The sum of all changes. */
  amount: bigint;
  /** The greatest sum of the changes up to a block that changes the balance. It can be negative. */
  rise: bigint;
  /** The first block with this sum. */
  riseBlock: number;
  /** The first and the last block that change the balance. */
  readonly firstBlock: number;
  lastBlock: number;
}

/** How one block changes the number of holders and the total supply of a token. */
export interface SupplyChange {
  readonly token: string;
  readonly blockNumber: number;
  holders: number;
  supply: bigint;
}

/** How consecutive blocks change the balances of holders: an item for each pair of token and address. */
export function holderChanges(blocks: readonly BlockBalances[]): HolderChange[] {
  const holders = new Map<string, HolderChange>();
  for (const { number, balances } of blocks)
    for (const { pair, token, address, amount } of balances) {
      const holder = holders.get(pair);
      if (holder === undefined) {
        const only = { rise: amount, riseBlock: number, firstBlock: number, lastBlock: number };
        holders.set(pair, { pair, token, address, amount, ...only });
        continue;
      }
      holder.amount += amount;
      holder.lastBlock = number;
      if (holder.amount > holder.rise) {
        holder.rise = holder.amount;
        holder.riseBlock = number;
      }
    }
  return [...holders.values()];
}

/**
 * How consecutive blocks change the supplies of tokens, by block and token, without changes of 0. `before` has the balances before
 * the first block by token and address concatenated. Every balance above 0 makes a holder; the total supply is the sum of all
 * balances.
 */
export function supplyChanges(blocks: readonly BlockBalances[], before: ReadonlyMap<string, bigint>): SupplyChange[] {
  const held = new Map(before);
  const supplies: SupplyChange[] = [];
  for (const { number, balances } of blocks) {
    const inBlock = new Map<string, SupplyChange>();
    for (const { pair, token, amount } of balances) {
      const earlier = held.get(pair) ?? 0n;
      held.set(pair, earlier + amount);
      const supply = inBlock.get(token) ?? { token, blockNumber: number, holders: 0, supply: 0n };
      inBlock.set(token, supply);
      supply.supply += amount;
      supply.holders += Number(earlier + amount > 0n) - Number(earlier > 0n);
    }
    for (const change of inBlock.values()) if (change.holders !== 0 || change.supply !== 0n) supplies.push(change);
  }
  return supplies;
}
