import { createHash } from "node:crypto";
import type pg from "pg";
import { formatAddress } from "../../../core/formats/bech32.ts";
import { testConfig } from "../config.ts";
import { createFilledDatabase, type TestDatabase } from "../database/database.ts";

/** Rows of each table for each chain or network. */
const ROWS = 1_500;

/** In the order of the configuration. */
export const SEARCH_CHAINS = [77_002, 77_001];
export const SEARCH_NETWORKS = [5, 1];

export const SEARCH_CONFIG = testConfig({
  evmChains: SEARCH_CHAINS.map((chainId) => ({
    chainId,
    network: "fuji",
    nodeUrl: "http://127.0.0.1:1",
    chainName: `Chain ${chainId}`,
  })),
  primaryNetworks: ["fuji", "mainnet"].map((network) => ({ network, nodeUrl: "http://127.0.0.1:1" })),
});

const EVM_TABLES = [
  "evm_blocks",
  "evm_transactions",
  "icm_events",
  "evm_addresses",
  "evm_deployments",
  "erc20_transfers",
  "erc721_transfers",
  "erc1155_transfers",
  "evm_internal_transactions",
  "erc20_tokens",
  "nft_contracts",
];

const PRIMARY_TABLES = [
  "primary_blocks",
  "x_chain_vertices",
  "primary_transactions",
  "primary_address_transactions",
  "utxos",
  "stakers",
  "staker_owners",
  "l1_validators",
  "subnets",
  "blockchains",
];

/** Bytes in row `n` of every table, as hex: 32 of them for an id, 20 for an address or a node. */
export const bytesOf = (n: number, length: 20 | 32): string =>
  createHash("sha256").update(String(n)).digest().subarray(0, length).toString("hex");

/** Bech32 address of the network 5 in row `n`. */
export const addressOf = (n: number): string => formatAddress({ chain: "P", prefix: "test5", address: bytesOf(n, 20) });

/** A database with all tables that a search reads, filled by the types of their columns. */
export function createSearchDatabase(): Promise<TestDatabase> {
  return createFilledDatabase("search", async ({ pool }) => {
    for (const table of EVM_TABLES) await fill(pool, table, SEARCH_CHAINS);
    for (const table of PRIMARY_TABLES) await fill(pool, table, SEARCH_NETWORKS);
    for (const id of SEARCH_CHAINS)
      await pool.query(`INSERT INTO chain_heads VALUES (${id}, '', 1, ${ROWS}, '', 0, 0)`);
    for (const id of SEARCH_NETWORKS) {
      await pool.query(`INSERT INTO primary_networks VALUES (${id}, 'test${id}', '', 0, '', '', '', '')`);
      for (const chain of ["P", "X", "C"])
        await pool.query(`INSERT INTO primary_heads VALUES (${id}, '${chain}', 1, ${ROWS}, '', '', 0, 0, 1)`);
    }
    await pool.query("VACUUM ANALYZE");
  });
}

/** SQL of row `n` by the column's name, otherwise by its type. */
const BY_NAME: Readonly<Record<string, string>> = {
  chain: "substring('PXC', n % 3 + 1, 1)",
  created_on_chain: "substring('PXC', n % 3 + 1, 1)",
  node_id: "substring(sha256(n::text::bytea), 1, 20)",
  symbol: "'Sym' || n % 100",
  name: "'Token ' || n",
  internal_tx_type: "'CALL'",
  consumed_timestamp: "NULL::bigint",
};
const ADDRESS = "substring(sha256(n::text::bytea), 1, 20)";
const BY_TYPE: Readonly<Record<string, string>> = {
  bytea: "sha256(n::text::bytea)",
  "bytea[]": `ARRAY[${ADDRESS}]`,
  "numeric[]": "'{}'::numeric[]",
  text: "'x' || n",
  boolean: "false",
};

interface Column {
  readonly name: string;
  readonly type: string;
}

async function fill(pool: pg.Pool, table: string, partitions: readonly number[]): Promise<void> {
  const { rows: columns } = await pool.query<Column>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum`,
    [table],
  );
  for (const id of partitions) {
    await pool.query(`CREATE TABLE ${table}_${id} PARTITION OF ${table} FOR VALUES IN (${id})`);
    const [, ...others] = columns.map(sqlOf);
    await pool.query(`INSERT INTO ${table} SELECT ${[id, ...others]} FROM generate_series(1, ${ROWS}) n`);
  }
}

function sqlOf({ name, type }: Column): string {
  return BY_NAME[name] ?? (/address$/.test(name) ? ADDRESS : (BY_TYPE[type] ?? "n"));
}
