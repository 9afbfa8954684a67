import { COLUMNS, type Row } from "../../decode/columns.ts";

const columns = COLUMNS.evm_transactions;
const FROM = columns.indexOf("from_address");
const TO = columns.indexOf("to_address");
const STATUS = columns.indexOf("tx_status");
const CONTRACT = columns.indexOf("contract_address");

/**
 * The addresses that are active in a block, each with the number of its transactions: sender, recipient, and the contract that
 * a successful transaction creates. A transaction counts once for an address. Takes rows of `evm_transactions`; addresses are
 * in PostgreSQL's text form.
 */
export function participants(transactions: readonly Row[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of transactions) {
    const created = row[STATUS] === "1" ? row[CONTRACT] : null;
    for (const address of new Set([row[FROM], row[TO], created]))
      if (address) counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  return counts;
}

/** SQL: the same for rows `t` of `evm_transactions`, as one row with column `address` for each transaction and address. */
export const PARTICIPANTS = `(
  SELECT t.from_address AS address UNION SELECT t.to_address
  UNION SELECT t.contract_address WHERE t.tx_status = 1)`;
