import type { TableName } from "./table-columns.ts";

/**
 * Where the rows of a table come from. A backup has the tables of the first three kinds.
 *
 * - `raw`: blocks and call trees from nodes, from which the computed tables follow. An archive has only these.
 * - `read`: what the indexer has read from nodes and from the internet beside them. A replay keeps it.
 * - `own`: what this installation and its operator have made, such as keys.
 * - `computed`: what the indexer computes from the others, or reads again from the node at its start.
 * - `passing`: states of running processes.
 */
type TableKind = "raw" | "read" | "own" | "computed" | "passing";

/** The kind of each table. */
export const TABLE_KINDS = {
  secrets: "own",
  chain_heads: "computed",
  chain_progress: "passing",
  chain_verifications: "passing",
  chain_places: "computed",
  raw_blocks: "raw",
  raw_token_answers: "read",
  evm_blocks: "computed",
  evm_transactions: "computed",
  evm_logs: "computed",
  erc20_transfers: "computed",
  erc20_tokens: "computed",
  raw_traces: "raw",
  untraced_ranges: "computed",
  trace_retries: "read",
  chain_capabilities: "passing",
  evm_internal_transactions: "computed",
  evm_failures: "computed",
  evm_proxy_upgrades: "computed",
  evm_block_activity: "computed",
  evm_activity: "computed",
  evm_addresses: "computed",
  evm_deployments: "computed",
  erc721_transfers: "computed",
  erc1155_transfers: "computed",
  nft_contracts: "computed",
  nft_items: "computed",
  nft_metadata: "read",
  erc20_balances: "computed",
  erc20_holders: "computed",
  erc20_supplies: "computed",
  erc20_counts: "computed",
  nft_holdings: "computed",
  nft_holders: "computed",
  nft_supplies: "computed",
  nft_counts: "computed",
  erc1155_supplies: "computed",
  nft_collection_balances: "computed",
  nft_item_balances: "computed",
  icm_events: "computed",
  icm_messages: "computed",
  evm_ext_data: "computed",
  prices: "own",
  rate_usage: "passing",
  contract_abis: "own",
  contract_abi_entries: "own",
  api_keys: "own",
  primary_networks: "read",
  primary_heads: "computed",
  primary_progress: "passing",
  primary_verifications: "passing",
  primary_raw_blocks: "raw",
  p_chain_states: "computed",
  primary_blocks: "computed",
  x_chain_vertices: "computed",
  x_chain_vertex_times: "computed",
  primary_transactions: "computed",
  primary_exceptions: "computed",
  primary_repeated_transactions: "computed",
  primary_address_transactions: "computed",
  primary_activity: "computed",
  l1_validator_transactions: "computed",
  utxos: "computed",
  utxo_owners: "computed",
  primary_assets: "computed",
  stakers: "computed",
  staker_owners: "computed",
  primary_rewards: "computed",
  reward_owners: "computed",
  subnets: "computed",
  blockchains: "computed",
  l1_validators: "computed",
  validator_totals: "computed",
  subnet_totals: "computed",
  validator_weights: "computed",
  operations: "own",
  idempotency_keys: "own",
  restored_files: "passing",
} as const satisfies Readonly<Record<TableName, TableKind>>;

/** The tables of these kinds, in the order of the schema. */
export function tablesOfKind(...kinds: readonly TableKind[]): TableName[] {
  return (Object.keys(TABLE_KINDS) as TableName[]).filter((table) => kinds.includes(TABLE_KINDS[table]));
}
