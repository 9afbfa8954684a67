/** Largest page of the holders of a token. */
export const MAX_HOLDERS = 1_000;

/**
 * Addresses that a statement considers for a page of holders. It reads the history of an address only if the address's row in
 * `erc20_holders` does not determine the balance after the block, or whether the balance was above the threshold.
 */
export const MAX_CANDIDATES = 10_000;

/** Further statements for a page in the order of addresses that is not full after the first one. */
export const MAX_FURTHER_STATEMENTS = 9;

/** The keys of the pages by balance that a statement reads. */
export const KEYS = `unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::numeric[], $5::bytea[], $6::int[]) WITH ORDINALITY
      AS k(chain_id, token_address, block_number, balance_before, address_before, size, request)`;

/** Above every address, and more than every balance: lists in descending order begin with them. */
export const ABOVE_EVERY_ADDRESS = `\\x${"ff".repeat(21)}`;
export const ABOVE_EVERY_BALANCE = `1${"0".repeat(96)}`;
