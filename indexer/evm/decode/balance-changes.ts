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
  readonly #sums = new Map<string, bigint>();

  add(token: string, address: string, amount: bigint): void {
    if (address === ZERO_ADDRESS) return;
    const pair = token + address;
    this.#sums.set(pair, (this.#sums.get(pair) ?? 0n) + amount);
  }

  all(): BalanceChange[] {
    const changes: BalanceChange[] = [];
    for (const [pair, amount] of this.#sums)
      if (amount !== 0n) changes.push({ token: pair.slice(0, 40), address: pair.slice(40), pair, amount });
    return changes;
  }
}
