/** Largest page of the holders of a token. */
export const MAX_HOLDERS = 1_000;

/**
 * Maximum number of addresses that one statement considers for a page of holders. The statement reads the history of an address
 * only if the address's row in `erc20_holders` does not tell its balance after the block, or whether it was above the threshold.
 */
export const MAX_CANDIDATES = 10_000;

/** The keys of the pages by balance that a statement reads, of the chain `$1`. Only those of ERC-1155 have a token id. */
export const KEYS = `unnest($2::bytea[], $3::bigint[], $4::numeric[], $5::bytea[], $6::int[], $7::numeric[]) WITH ORDINALITY
      AS k(token_address, block_number, balance, address, size, token_id, request)`;

/** Above every address, and more than every balance: lists in descending order begin below them. */
export const ABOVE_EVERY_ADDRESS = `\\x${"ff".repeat(21)}`;
export const ABOVE_EVERY_BALANCE = `1${"0".repeat(96)}`;
