import { setTimeout as sleep } from "node:timers/promises";
import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { startIndexer } from "../../../indexer/indexer.ts";
import { testConfig } from "../config.ts";
import { createTestDatabase, type TestDatabase } from "../database/database.ts";
import { dumpTables, type Tables } from "../database/tables.ts";

const TIMEOUT_MS = 30_000;

type ChainSettings = Partial<EvmChainConfig>;

export interface IndexingOptions {
  readonly chainId: number;
  /** The URL of the chain's node, or those of its nodes. */
  readonly nodeUrl: string | readonly string[];
  /** Indexing settings that differ from those of `testConfig`. */
  readonly indexing?: Readonly<Record<string, number>>;
  /** Additional settings of the chain. */
  readonly chain?: ChainSettings;
  /** A database to continue with; if absent, an empty one that is dropped in the end. */
  readonly database?: TestDatabase;
}

/** The public state of a chain's indexing. */
export interface Seen {
  readonly state: string;
  readonly reason: string | null;
}

/** A chain that the real indexer indexes. */
export interface Indexing extends AsyncDisposable {
  readonly database: TestDatabase;
  /** Waits until the chain has this state and a reason that matches; fails after 30 s. Returns the reason. */
  untilState(state: string, reason?: RegExp): Promise<string | null>;
  /**
   * Waits until this block (its hash with `0x`) is the last indexed one, and no metadata of an ERC-20 token or NFT contract is
   * pending.
   */
  untilHead(hash: string): Promise<void>;
  tables(): Promise<Tables>;
  seen(): Promise<Seen>;
}

/** Starts the real indexer on one chain, polling often. */
export async function startIndexing(options: IndexingOptions): Promise<Indexing> {
  const { chainId, nodeUrl, indexing, chain, database } = options;
  const own = database ?? (await createTestDatabase());
  const { pool } = own;
  const nodes = typeof nodeUrl === "string" ? { nodeUrl } : { nodeUrls: nodeUrl };
  const config = testConfig({
    evmChains: [{ chainId, network: "fuji", ...nodes, chainName: "a chain", ...chain }],
    indexing: { pollIntervalMs: 50, standbyPollMs: 50, requestTimeoutMs: 5_000, ...indexing },
  });
  const indexer = startIndexer(config, own.url, createLogger("silent"));
  const seen = async (): Promise<Seen> => {
    const { rows } = await pool.query<Seen>("SELECT state, reason FROM chain_progress WHERE chain_id = $1", [chainId]);
    return rows[0] ?? { state: "", reason: null };
  };
  return {
    database: own,
    seen,
    async untilState(state, reason = /^/) {
      const isDone = (now: Seen) => now.state === state && reason.test(now.reason ?? "");
      return (await until(seen, isDone, `${state} ${reason}`)).reason;
    },
    async untilHead(hash) {
      const bytes = `\\x${hash.slice(2)}`;
      const reached = async () => {
        const { rows } = await pool.query<{ reached: boolean; hash: string }>(REACHED, [chainId, bytes]);
        return rows[0] ?? { reached: false, hash: "" };
      };
      await until(reached, (now) => now.reached, `the rows to end with ${hash}`);
    },
    tables: async () => (await dumpTables(pool, chainId)).tables,
    async [Symbol.asyncDispose]() {
      await indexer[Symbol.asyncDispose]();
      if (!database) await own[Symbol.asyncDispose]();
    },
  };
}

const REACHED = `SELECT encode(block_hash, 'hex') AS hash, block_hash = $2
    AND NOT EXISTS (SELECT FROM erc20_tokens t WHERE t.chain_id = h.chain_id AND t.metadata_status = 'PENDING')
    AND NOT EXISTS (SELECT FROM nft_contracts t WHERE t.chain_id = h.chain_id AND t.metadata_status = 'PENDING') AS reached
  FROM chain_heads h WHERE chain_id = $1`;

/** Calls `read` until `isDone` accepts its value, and returns it; fails with the last value after 30 s. */
export async function until<Value>(
  read: () => Promise<Value>,
  isDone: (value: Value) => boolean,
  what: string,
  pauseMs = 40,
): Promise<Value> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    if (Date.now() > deadline) throw new Error(`waited for ${what}, saw ${JSON.stringify(value)}`);
    await sleep(pauseMs);
  }
}

/** Indexes a node's chain up to this block into an empty database and returns its tables. */
export async function freshTables(
  chainId: number,
  nodeUrl: string,
  headHash: string,
  chain: ChainSettings = {},
): Promise<Tables> {
  await using indexing = await startIndexing({ chainId, nodeUrl, chain });
  await indexing.untilHead(headHash);
  return indexing.tables();
}
