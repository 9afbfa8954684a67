import type pg from "pg";
import { namedRows } from "./named-balances.ts";

/** Tables with rows of a chain, and the order in which rows are compared. */
const ORDER = {
  evm_blocks: "block_number",
  evm_transactions: "block_number, block_index",
  evm_logs: "block_number, log_index",
  erc20_transfers: "block_number, log_index",
  erc20_tokens: "address",
  erc721_transfers: "block_number, log_index",
  erc1155_transfers: "block_number, log_index, batch_index",
  icm_events: "block_number, log_index",
  evm_ext_data: "block_number",
  evm_internal_transactions: "block_number, block_index, trace_index",
  evm_failures: "block_number, block_index",
  evm_proxy_upgrades: "address, block_number, log_index",
  evm_deployments: "address, block_number, block_index, trace_index",
  erc20_balances: "token_address, address, block_number",
  erc20_holders: "token_address, address",
  erc20_supplies: "token_address, block_number",
  erc20_counts: "token_address",
  nft_holdings: "address, token_address, token_id, erc_type",
  nft_item_balances: "address, token_address, token_id, erc_type, block_number",
  nft_holders: "token_address, address",
  nft_collection_balances: "token_address, address, block_number",
  nft_supplies: "token_address, block_number",
  nft_counts: "token_address",
  erc1155_supplies: "token_address, token_id, block_number",
  evm_block_activity: "block_number",
  evm_activity: "interval, period_start",
  evm_addresses: "address",
  untraced_ranges: "from_block",
  nft_contracts: "address",
  nft_items: "address, token_id, erc_type",
} as const;

type TableName = keyof typeof ORDER;

/** A row with every column as PostgreSQL's text form. */
export type TextRow = Readonly<Record<string, string | null>>;

/** All rows of a chain by table. */
export type Tables = Readonly<Record<TableName, readonly TextRow[]>>;

const AS_TEXT = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

/** All rows of a chain in order and the height of its last indexed block (-1 before the first), from one snapshot. */
export async function dumpTables(
  pool: pg.Pool,
  chainId: number,
): Promise<{ readonly head: number; readonly tables: Tables }> {
  const client = await pool.connect();
  // An error of the connection fails the statement too, which reports it.
  const ignore = () => {};
  client.on("error", ignore);
  const select = async (text: string) =>
    (await client.query<Record<string, string | null>>({ text, values: [chainId], types: AS_TEXT })).rows;
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const [head] = await select("SELECT block_number FROM chain_heads WHERE chain_id = $1");
    const tables: Record<string, readonly TextRow[]> = {};
    for (const [table, order] of Object.entries(ORDER))
      tables[table] = await select(`SELECT * FROM ${namedRows(table)} t WHERE chain_id = $1 ORDER BY ${order}`);
    await client.query("COMMIT");
    return { head: Number(head?.["block_number"] ?? -1), tables: tables as Tables };
  } finally {
    client.off("error", ignore);
    client.release();
  }
}

const HASHES = `SELECT coalesce((SELECT block_number FROM chain_heads WHERE chain_id = $1), -1) AS head, ${Object.entries(
  ORDER,
)
  .map(
    ([table, order]) =>
      `(SELECT md5(string_agg(t::text, E'\\n' ORDER BY ${order})) FROM ${namedRows(table)} t WHERE chain_id = $1) AS ${table}`,
  )
  .join(", ")}`;

/**
 * A hash of all rows of each table of a chain (null without rows) and the height of its last indexed block (-1 before the
 * first), from one snapshot. Equal hashes prove what equal results of `dumpTables` prove, in a fraction of the time.
 */
export async function hashTables(pool: pg.Pool, chainId: number): Promise<TextRow> {
  const { rows } = await pool.query<TextRow>({ text: HASHES, values: [chainId], types: AS_TEXT });
  return rows[0] as TextRow;
}

/** The raw blocks of a chain as text, in the order in which blocks were accepted. */
export async function dumpRawBlocks(pool: pg.Pool, chainId: number): Promise<readonly TextRow[]> {
  const text = `SELECT seq, block_number, block_hash, parent_hash, md5(payload) AS payload FROM raw_blocks
    WHERE chain_id = $1 ORDER BY seq`;
  return (await pool.query<Record<string, string | null>>({ text, values: [chainId], types: AS_TEXT })).rows;
}

/** The rows of one table of a chain in order. */
export async function dumpTable(pool: pg.Pool, chainId: number, table: TableName): Promise<readonly TextRow[]> {
  const text = `SELECT * FROM ${namedRows(table)} t WHERE chain_id = $1 ORDER BY ${ORDER[table]}`;
  return (await pool.query<Record<string, string | null>>({ text, values: [chainId], types: AS_TEXT })).rows;
}

/** The call trees in a chain's raw blocks as text. */
export async function dumpRawTraces(pool: pg.Pool, chainId: number): Promise<readonly TextRow[]> {
  const text = `SELECT block_number, block_hash, md5(payload) AS payload FROM raw_traces WHERE chain_id = $1
    ORDER BY block_number, block_hash`;
  return (await pool.query<Record<string, string | null>>({ text, values: [chainId], types: AS_TEXT })).rows;
}

/**
 * A hash of a chain's rows up to block `upTo` (all if null), without the metadata of tokens, and without the tables whose rows
 * change with later blocks.
 */
export async function fingerprint(
  pool: pg.Pool,
  chainId: number,
  upTo: number | null,
): Promise<{ readonly head: number; readonly rows: string }> {
  const { rows } = await pool.query<{ head: string | null; rows: string }>(FINGERPRINT, [chainId, upTo]);
  return { head: Number(rows[0]?.head ?? -1), rows: rows[0]?.rows ?? "" };
}

/** For tables without `block_number`: the column with the block's number and the columns that come from the chain. */
const FIRST_SEEN: Readonly<Record<string, { readonly row: string; readonly number: string }>> = {
  erc20_tokens: { row: "t.address::text || t.first_block_number", number: "first_block_number" },
  nft_contracts: { row: "t.address::text || t.first_block_number", number: "first_block_number" },
  nft_items: {
    row: "t.address::text || t.token_id || t.erc_type || t.first_block_number",
    number: "first_block_number",
  },
  untraced_ranges: { row: "t.from_block::text", number: "from_block" },
};

const CHANGING = [
  "evm_activity",
  "evm_addresses",
  "erc20_holders",
  "erc20_counts",
  "nft_holdings",
  "nft_holders",
  "nft_counts",
];
const FINAL = Object.entries(ORDER).filter(([table]) => !CHANGING.includes(table));

const prints = FINAL.map(([table, order]) => {
  const { row = "t::text", number = "block_number" } = FIRST_SEEN[table] ?? {};
  return `coalesce((SELECT md5(string_agg(${row}, '|' ORDER BY ${order})) FROM ${namedRows(table)} t
    WHERE chain_id = $1 AND ($2::bigint IS NULL OR ${number} <= $2)), '')`;
});
/** A single statement, so that all rows are from one snapshot. */
const FINGERPRINT = `SELECT (SELECT block_number FROM chain_heads WHERE chain_id = $1) AS head, ${prints.join(" || ")} AS rows`;
