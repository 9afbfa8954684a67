import type { BalanceChange } from "../../decode/balance-changes.ts";

/** Changes of balances in one block. */
export interface BlockBalances {
  readonly number: number;
  readonly balances: readonly BalanceChange[];
}

/** Number of balances before the current one that the row of an ERC-20 holder has at most. */
export const MAX_PAST_BALANCES = 7;

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
  /** The next block that changes the balance; null if `riseBlock` is the last one. */
  riseEnd: number | null;
  /** The greatest sum up to a block other than `riseBlock`; null if only one block changes the balance. */
  secondRise: bigint | null;
  /** The first and the last block that change the balance. */
  readonly firstBlock: number;
  lastBlock: number;
  /**
   * The last blocks before `lastBlock` that change the balance, at most `MAX_PAST_BALANCES`, each with the sum of the changes up
   * to it. Null if only one block changes the balance.
   */
  past: { readonly block: number; readonly sum: bigint }[] | null;
}

/** How one block changes the number of holders and the total supply of a token. */
export interface SupplyChange {
  /** The address; for ERC-1155, a space and the token id follow. */
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
        holders.set(pair, onlyChange({ pair, token, address, amount }, number));
        continue;
      }
      holder.past ??= [];
      holder.past.push({ block: holder.lastBlock, sum: holder.amount });
      if (holder.past.length > MAX_PAST_BALANCES) holder.past.shift();
      holder.amount += amount;
      holder.lastBlock = number;
      addRise(holder);
    }
  return [...holders.values()];
}

const onlyChange = ({ token, address, pair, amount }: BalanceChange, block: number): HolderChange => ({
  token,
  address,
  pair,
  amount,
  rise: amount,
  riseBlock: block,
  riseEnd: null,
  secondRise: null,
  firstBlock: block,
  lastBlock: block,
  past: null,
});

/** Compares the sum of all changes with the two greatest sums before the last block. */
function addRise(holder: HolderChange): void {
  if (holder.amount > holder.rise) {
    holder.secondRise = holder.rise;
    holder.rise = holder.amount;
    holder.riseBlock = holder.lastBlock;
    holder.riseEnd = null;
    return;
  }
  holder.riseEnd ??= holder.lastBlock;
  if (holder.secondRise === null || holder.amount > holder.secondRise) holder.secondRise = holder.amount;
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
