import type { TableRow } from "../../shared/table-rows.ts";

/** The tables that blocks are decoded into. */
export const TABLES = [
  "evm_blocks",
  "evm_transactions",
  "evm_logs",
  "erc20_transfers",
  "erc721_transfers",
  "erc1155_transfers",
  "icm_events",
  "evm_ext_data",
  "evm_internal_transactions",
  "evm_failures",
  "evm_deployments",
  "evm_proxy_upgrades",
] as const;

export type Table = (typeof TABLES)[number];

export type Row<Name extends Table> = Readonly<TableRow<Name>>;

/** The rows of the named tables. */
export type RowsOf<Name extends Table> = { readonly [Each in Name]: readonly Row<Each>[] };

/**
 * Version of the decoding code. Rows of another version are computed again from the raw blocks, so increase it with every
 * change of the values that are computed from a block. Rows with other columns are of another version already.
 */
export const ROWS_VERSION = 7;
