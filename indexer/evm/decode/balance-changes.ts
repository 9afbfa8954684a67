/** How much a block changes an address's balance of a token; addresses are hex without `0x`. */
export interface BalanceChange {
  readonly token: string;
  readonly address: string;
  /** Token and address concatenated, as a key. */
  readonly pair: string;
  readonly amount: bigint;
}

/** Hex without `0x`. */
export const ZERO_ADDRESS = "0".repeat(40);

/** Sums a block's changes per token and address. Leaves out the zero address and sums of zero. */
export class BalanceChanges {
  readonly #sums = new Map<string, { -readonly [Name in keyof BalanceChange]: BalanceChange[Name] }>();

  add(token: string, address: string, amount: bigint): void {
    if (address === ZERO_ADDRESS) return;
    const pair = token + address;
    const sum = this.#sums.get(pair);
    // Parts of the pair: `token` and `address` would keep the texts of the node in memory.
    if (!sum) this.#sums.set(pair, { token: pair.slice(0, 40), address: pair.slice(40), pair, amount });
    else sum.amount += amount;
  }

  all(): BalanceChange[] {
    return Array.from(this.#sums.values()).filter(({ amount }) => amount !== 0n);
  }
}
