const HOLDERS = `chain_id, token_address, address, balance, max_balance, max_block_number, first_block_number, last_block_number,
  past_block_numbers, past_balances, max_end_block_number, second_balance`;

/**
 * SQL of the rows of a table without the numbers of holders, which depend on the order in which blocks were indexed: equal chains have
 * equal rows. Balances of ERC-20 tokens have the token and the address of their holder instead, or NULL if the holder has no row.
 */
export function namedRows(table: string): string {
  if (table === "erc20_balances")
    return `(SELECT b.chain_id, h.token_address, h.address, b.block_number, b.balance
      FROM erc20_balances b LEFT JOIN erc20_holders h USING (chain_id, holder_id))`;
  return table === "erc20_holders" ? `(SELECT ${HOLDERS} FROM erc20_holders)` : `${table}`;
}
