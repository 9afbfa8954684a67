import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Config, configSchema } from "../../core/config/config-schema.ts";
import { migrate } from "../../core/database/migrate.ts";
import { startEmbeddedPostgres } from "../../core/embedded-postgres/embedded-postgres.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";
import { demoConfig, demoNetwork } from "../../recordings/demo.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import {
  FILL_BLOCKS,
  FILL_CALLER,
  FILL_DEPLOYMENTS,
  FILL_INTERNALS,
  FILL_SELF,
  FILL_TRANSACTIONS,
  FILL_TRANSFERS,
  FILL_WALLET,
} from "./synthetic/filling.ts";
import { fillPrimary, type PrimarySubject } from "./synthetic/filling-primary.ts";

/** The EVM chain of the requests. */
export const CHAIN_ID = "760011";

/** A PostgreSQL server for the bench. Disposing it deletes its data. */
export interface BenchDatabase extends AsyncDisposable {
  readonly url: string;
}

export async function startBenchDatabase(): Promise<BenchDatabase> {
  const directory = mkdtempSync(join(tmpdir(), "moraine-bench-"));
  // If the server's account could not enter the directory, the data would be stored elsewhere and not be deleted.
  chmodSync(directory, 0o755);
  const forget = () => rmSync(directory, { recursive: true, force: true });
  const server = await startEmbeddedPostgres(directory, undefined, { max_locks_per_transaction: "500" }).catch(
    (error: unknown) => {
      forget();
      throw error;
    },
  );
  const database = {
    url: server.url,
    async [Symbol.asyncDispose]() {
      // The server would wait for sessions of an interrupted run.
      await inSession(server.url, (client) => client.query(END_OTHERS)).catch(() => {});
      await server[Symbol.asyncDispose]();
      forget();
    },
  };
  try {
    await migrate(server.url);
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

const END_OTHERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;

/** The most addresses whose pages are requested in turns. */
const MOST_ADDRESSES = 20;

/** Addresses, contracts and settings for the requests of the bench. */
export interface Subject {
  readonly evmChains: Config["evmChains"];
  /** Entries of `primaryNetworks`, as in the configuration file. */
  readonly primaryNetworks: readonly object[];
  readonly primary: PrimarySubject;
  /** The addresses of the recording with the most ERC-20 transfers. Each has several full pages of them. */
  readonly wallets: readonly string[];
  /** The first of them. */
  readonly address: string;
  /** The addresses of the recording with the most internal transactions. Each has several full pages of them. */
  readonly callers: readonly string[];
  /** A contract that a transaction without internal transactions and with one ERC-20 transfer created directly. */
  readonly token: string;
  /** A contract that another contract created, in a transaction with one ERC-20 transfer and other internal transactions. */
  readonly made: string;
}

/** Indexes the bundled recording, and adds millions of rows of other addresses and nodes. */
export async function fillDatabase(url: string): Promise<Subject> {
  const { evmChains, network } = await indexRecording(url);
  const { all: wallets, first: address } = await addressesOf(url, busiestIn("erc20_transfers"));
  const { all: callers } = await addressesOf(url, busiestIn("evm_internal_transactions"));
  const { first: token } = await addressesOf(url, madeIn("d.trace_index = 0 AND internals = 0"));
  const { first: made } = await addressesOf(url, madeIn("d.trace_index > 0 AND internals > 1"));
  const run = (text: string, values: unknown[] = []) => inSession(url, (client) => client.query(text, values));
  await run(FILL_WALLET, [CHAIN_ID, wallets.map(bytesOf)]);
  await run(FILL_CALLER, [CHAIN_ID, callers.map(bytesOf)]);
  const others = [FILL_BLOCKS, FILL_TRANSFERS, FILL_SELF, FILL_INTERNALS, FILL_DEPLOYMENTS, FILL_TRANSACTIONS];
  await Promise.all(others.map((statement) => run(statement, [CHAIN_ID])));
  const primary = await inSession(url, (client) => fillPrimary(client));
  await tidyUp(url);
  return { evmChains, primaryNetworks: [network], primary, wallets, address, callers, token, made };
}

const bytesOf = (address: string): Buffer => Buffer.from(address.slice(2), "hex");

/** Selects the addresses with the most rows. The rows of each are copied 20 times, so they fill two pages of 100. */
const busiestIn = (table: string): string => `SELECT address FROM (
    SELECT from_address AS address FROM ${table} WHERE chain_id = $1
    UNION ALL SELECT to_address FROM ${table} WHERE chain_id = $1 AND to_address <> from_address
  ) sides GROUP BY address HAVING count(*) >= 10 ORDER BY count(*) DESC, address LIMIT ${MOST_ADDRESSES}`;

/** Selects a contract whose transaction has one ERC-20 transfer and no NFT transfer. */
const madeIn = (where: string): string => `SELECT d.address FROM evm_deployments d, LATERAL (
    SELECT (SELECT count(*) FROM evm_internal_transactions WHERE ${OF_THE_SAME}) AS internals,
      (SELECT count(*) FROM erc20_transfers WHERE ${OF_THE_SAME}) AS transfers,
      (SELECT count(*) FROM erc721_transfers WHERE ${OF_THE_SAME})
        + (SELECT count(*) FROM erc1155_transfers WHERE ${OF_THE_SAME}) AS nfts
  ) events WHERE d.chain_id = $1 AND transfers = 1 AND nfts = 0 AND ${where} ORDER BY d.block_number LIMIT 1`;

const OF_THE_SAME = "(chain_id, block_number, block_index) = (d.chain_id, d.block_number, d.block_index)";

async function addressesOf(url: string, statement: string): Promise<{ all: string[]; first: string }> {
  const text = `SELECT '0x' || encode(address, 'hex') AS address FROM (${statement}) found`;
  const { rows } = await inSession(url, (client) => client.query<{ address: string }>(text, [CHAIN_ID]));
  const all = rows.map(({ address }) => address);
  const [first] = all;
  if (first === undefined) throw new Error(`the recording has no such address: ${statement}`);
  return { all, first };
}

/** Does what PostgreSQL would otherwise do for rows that are written already while the next case is measured. */
export async function tidyUp(url: string): Promise<void> {
  await inSession(url, async (client) => {
    await client.query("VACUUM ANALYZE");
    await client.query("CHECKPOINT");
  });
}

/** Runs a task on a new connection. */
export async function inSession<Result>(url: string, task: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await task(client);
  } finally {
    await client.end();
  }
}

interface Indexed {
  readonly evmChains: Config["evmChains"];
  /** An entry as in the configuration file. */
  readonly network: object;
}

async function indexRecording(url: string): Promise<Indexed> {
  await using node = await startReplayNode();
  const { manifest } = node.recording;
  const network = demoNetwork(manifest, ALPHA, node.url);
  const config = configSchema.parse({ evmChains: demoConfig(manifest, node.url), primaryNetworks: [network] });
  await using _indexer = startIndexer(config, url, createLogger("error"));
  const C = node.head("C");
  const l1 = node.head("l1");
  const P = node.head("P");
  const X = node.head("X");
  while (!(await isIndexed(url, { [CHAIN_ID]: C, "760012": l1, P, X, C }))) await sleep(50);
  return { evmChains: config.evmChains, network };
}

const HEADS = `SELECT chain_id::text AS chain, block_number, EXISTS (SELECT FROM erc20_tokens t
    WHERE t.chain_id = h.chain_id AND t.metadata_status = 'PENDING') AS pending FROM chain_heads h
  UNION ALL SELECT chain, block_number, false FROM primary_heads`;

/** True if these heads are indexed, and no metadata of a token is pending. The keys are EVM chain ids, or names of primary chains. */
export async function isIndexed(url: string, heads: Readonly<Record<string, number>>): Promise<boolean> {
  const rows = await inSession(
    url,
    async (client) => (await client.query<{ chain: string; block_number: string; pending: boolean }>(HEADS)).rows,
  );
  return Object.entries(heads).every(([chain, head]) =>
    rows.some((row) => row.chain === chain && Number(row.block_number) === head && !row.pending),
  );
}

/** Size of the database. */
export function databaseBytes(url: string): Promise<number> {
  return inSession(url, async (client) => {
    const { rows } = await client.query<{ bytes: string }>("SELECT pg_database_size(current_database()) AS bytes");
    return Number(rows[0]?.bytes);
  });
}
