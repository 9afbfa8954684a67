import { COLUMNS, type Row } from "./columns.ts";

const columns = COLUMNS.evm_transactions;
const FROM = columns.indexOf("from_address");
const TO = columns.indexOf("to_address");
const STATUS = columns.indexOf("tx_status");
const CONTRACT = columns.indexOf("contract_address");

/**
 * The addresses that are active in a transaction, each once: sender, recipient, and the contract that it creates if it
 * succeeds. Takes a row of `evm_transactions`; addresses are hex without `0x`.
 */
export function participants(transaction: Row): string[] {
  const from = transaction[FROM] as string | null;
  const to = transaction[TO] as string | null;
  const contract = transaction[CONTRACT] as string | null;
  const addresses = from ? [from] : [];
  if (to && to !== from) addresses.push(to);
  if (contract && transaction[STATUS] === 1 && !addresses.includes(contract)) addresses.push(contract);
  return addresses;
}
