import type { TableRow } from "../../../shared/table-rows.ts";

/** The tables that a replay fills. */
export const TABLE_NAMES = [
  "primary_blocks",
  "x_chain_vertices",
  "primary_transactions",
  "primary_address_transactions",
  "primary_repeated_transactions",
  "primary_exceptions",
  "l1_validator_transactions",
  "utxos",
  "utxo_owners",
  "primary_assets",
  "stakers",
  "staker_owners",
  "primary_rewards",
  "reward_owners",
  "subnets",
  "blockchains",
  "l1_validators",
  "validator_weights",
] as const;

export type Table = (typeof TABLE_NAMES)[number];
export type RowOf<Name extends Table> = TableRow<Name, number | bigint>;

/**
 * Keys of the tables whose rows change. Rows of `utxos`, `utxo_owners`, `primary_exceptions`, and of transactions that are repeated or
 * decided, change by statements of their own. Rows of all other tables are only inserted.
 */
export const KEYS = {
  stakers: "tx_hash",
  subnets: "subnet_id",
  l1_validators: "validation_id",
  validator_weights: "subnet_id, entry_id, block_number",
} as const;
export type MutableTable = keyof typeof KEYS;
