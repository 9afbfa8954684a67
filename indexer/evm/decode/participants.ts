import type { Row } from "./tables.ts";

/**
 * The addresses that are active in a transaction, each once: sender, recipient, and the contract that it creates if it
 * succeeds. Addresses are hex without `0x`.
 */
export function participants(transaction: Row<"evm_transactions">): string[] {
  const { from_address: from, to_address: to, contract_address: contract, tx_status: status } = transaction;
  const addresses = [from];
  if (to && to !== from) addresses.push(to);
  if (contract && status === 1 && !addresses.includes(contract)) addresses.push(contract);
  return addresses;
}
