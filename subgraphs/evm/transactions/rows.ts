import type { EvmTransaction } from "./types.ts";

/** A transaction of a statement that also read the base fee of its block, and looked for tokens. */
export interface CheckedTransaction extends EvmTransaction {
  readonly baseFee: string;
  /** True if `from` or `to` is an ERC-20 token. */
  readonly hasTokenAddress: boolean;
}

export const isChecked = (transaction: EvmTransaction): transaction is CheckedTransaction =>
  "hasTokenAddress" in transaction;
