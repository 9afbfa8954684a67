import { DERIVATIONS, erc20HoldersOf } from "../../../indexer/evm/compare/compare-holdings.ts";
import { addressOf, fillBlocks, filled, SESSION } from "./filling-partitions.ts";

/** Tokens of a synthetic chain of holders: token 1 has half of all changes of balances, the others share the rest. */
const TOKENS = 1_000;
/** Changes of balances in one block. */
const CHANGES_PER_BLOCK = 10;

/** SQL of the powers of ten from 10^0 to 10^21. */
const POWERS = `'{${Array.from({ length: 22 }, (_, exponent) => `1${"0".repeat(exponent)}`).join(",")}}'::numeric[]`;

export const tokenAddress = (number: string): string => addressOf("token", number);
export const holderAddress = (number: string): string => addressOf("holder", number);

export const holdersOf = (changes: number): number => Math.ceil(changes / 10);
export const blocksOf = (changes: number): number => Math.ceil(changes / CHANGES_PER_BLOCK);

/**
 * Statements that fill a chain with changes of ERC-20 balances. A tenth as many holders as changes exist. Some of them change
 * often, most of them rarely, and balances are from 1 to 10^24 with all magnitudes equally frequent. Large tables are filled
 * before they become partitions, because it is faster to make their indexes from all rows.
 */
export function fillHolders(chainId: number, changes: number): string[] {
  const blocks = blocksOf(changes);
  return [
    ...SESSION,
    ...fillBlocks(chainId, blocks),
    ...filled(
      "erc20_tokens",
      chainId,
      `INSERT INTO erc20_tokens_${chainId} (chain_id, address, first_block_number, metadata_status, name, symbol, decimals)
       SELECT ${chainId}, ${addressOf("token", "n")}, 0, 'INDEXED', 'Token ' || n, 'T' || n, 18
       FROM generate_series(1, ${TOKENS}) n`,
    ),
    createChanges(changes),
    ...filled(
      "erc20_balances",
      chainId,
      `INSERT INTO erc20_balances_${chainId} (chain_id, holder_id, block_number, balance)
       SELECT ${chainId}, holder_id, block_number, balance FROM balance_changes`,
    ),
    ...filled(
      "erc20_holders",
      chainId,
      `INSERT INTO erc20_holders_${chainId} (chain_id, ${DERIVATIONS.erc20_holders.columns}) SELECT ${chainId}, derived.*
       FROM (${erc20HoldersOf("SELECT * FROM balance_changes")}) AS derived`,
    ),
    "DROP TABLE balance_changes",
    ...filled("nft_holdings", chainId, fillNfts(chainId, changes)),
  ];
}

/**
 * Rows are in the order of blocks, as the indexer writes them. An address has one balance of a token after each block. Holders are numbered
 * in the order of the block that first changed their balance, as the indexer numbers them.
 */
const createChanges = (changes: number): string =>
  `CREATE TEMPORARY TABLE balance_changes AS
   SELECT dense_rank() OVER (ORDER BY first_block, token, holder)::int AS holder_id, ${addressOf("token", "token")} AS token_address,
     ${addressOf("holder", "holder")} AS address, block AS block_number, balance
   FROM (
     SELECT *, min(block) OVER (PARTITION BY token, holder) AS first_block
     FROM (
       SELECT DISTINCT ON (block, token, holder) block, token, holder, balance FROM (${drawnChanges(changes)}) AS change
       ORDER BY block, token, holder) AS distinct_change) AS followed
   ORDER BY block, token, holder`;

const drawnChanges = (changes: number): string =>
  `SELECT n, 1 + n / ${CHANGES_PER_BLOCK} AS block,
     CASE WHEN token < 0.5 THEN 1 ELSE 1 + floor((token - 0.5) * 2 * ${TOKENS}) END AS token,
     floor(${holdersOf(changes)} * holder * holder) AS holder,
     (1 + floor(digits * 999))::numeric * (${POWERS})[1 + floor(magnitude * 22)::int] AS balance
   FROM (SELECT n, random() AS token, random() AS holder, random() AS digits, random() AS magnitude
     FROM generate_series(0, ${changes - 1}) n) AS drawn`;

/** Each address holds up to three NFTs. */
const fillNfts = (chainId: number, changes: number): string =>
  `INSERT INTO nft_holdings_${chainId} (chain_id, address, token_address, token_id, erc_type, balance)
   SELECT ${chainId}, ${addressOf("holder", "holder")}, ${addressOf("collection", "holder % 50")}, item, 'ERC-721', 1
   FROM generate_series(0, ${holdersOf(changes) - 1}) AS holder, generate_series(1, holder % 4) AS item`;
