import type { MetricsContext } from "../context.ts";

/** Selectors of `balanceOf(address)` and `totalSupply()`. */
const BALANCE_OF = "0x70a08231";
const TOTAL_SUPPLY = "0x18160ddd";

/** Sentence for the descriptions of fields that compare a value with a contract. */
export const NULL_WITHOUT_ANSWER =
  "Null if the chain's node does not answer or does not have the state of the block, or if the contract returns no number.";

/** A contract after a block. */
export interface ContractState {
  readonly chainId: string;
  readonly tokenAddress: string;
  /** Null if the block is not indexed. */
  readonly blockHash: string | null;
}

/** True if the balance of the address differs from the contract's `balanceOf`; null if that cannot be read. */
export function isBalanceApproximate(
  state: ContractState,
  { address, balance }: { readonly address: string; readonly balance: string },
  context: MetricsContext,
): Promise<boolean | null> {
  return isDifferent(state, `${BALANCE_OF}${address.slice(2).padStart(64, "0")}`, balance, context);
}

/** True if the total supply differs from the contract's `totalSupply`; null if that cannot be read. */
export function isSupplyApproximate(
  state: ContractState,
  totalSupply: string,
  context: MetricsContext,
): Promise<boolean | null> {
  return isDifferent(state, TOTAL_SUPPLY, totalSupply, context);
}

async function isDifferent(
  { chainId, tokenAddress, blockHash }: ContractState,
  input: string,
  expected: string,
  { load }: MetricsContext,
): Promise<boolean | null> {
  if (blockHash === null) return null;
  const number = await load.contractNumber({ chainId, blockHash, contract: tokenAddress, input });
  return number === null ? null : number !== BigInt(expected);
}
