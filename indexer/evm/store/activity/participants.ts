/**
 * SQL subquery with the addresses that `participants` returns for a row `t` of `evm_transactions`, in the column `address`. One of its
 * rows may have a null address.
 */
export const PARTICIPANTS = `(
  SELECT t.from_address AS address UNION SELECT t.to_address
  UNION SELECT t.contract_address WHERE t.tx_status = 1)`;
