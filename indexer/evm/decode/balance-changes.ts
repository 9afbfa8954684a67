/** How much a block changes an address's balance of a token; addresses are hex without `0x`. */
export interface BalanceChange {
  readonly token: string;
  readonly address: string;
  readonly amount: bigint;
}

/** Hex without `0x`. */
export const ZERO_ADDRESS = "0".repeat(40);

/** Sums a block's changes per token and address. Leaves out the zero address and sums of zero. */
export class BalanceChanges {
  readonly #sums = new Map<string, bigint>();

  add(token: string, address: string, amount: bigint): void {
    if (address === ZERO_ADDRESS) return;
    const key = token + address;
    this.#sums.set(key, (this.#sums.get(key) ?? 0n) + amount);
  }

  all(): BalanceChange[] {
    const changes: BalanceChange[] = [];
    for (const [key, amount] of this.#sums)
      if (amount !== 0n) changes.push({ token: key.slice(0, 40), address: key.slice(40), amount });
    return changes;
  }
}
