import { createLogger } from "../../../core/observability/logger.ts";
import { startIndexer } from "../../../indexer/indexer.ts";
import { demoConfig, demoNetwork } from "../../../recordings/demo.ts";
import type { ReplayNode } from "../../../recordings/replay-node.ts";
import { testConfig } from "../config.ts";
import { createTestDatabase, type TestDatabase } from "../database/database.ts";
import { until } from "./indexing.ts";

type Chain = "P" | "X" | "C";

export interface PrimaryIndexingOptions {
  /** Folder of the recording. */
  readonly folder: string;
  /** The node of the recording. */
  readonly node: ReplayNode;
  /** URL of a proxy in front of the node, if there is one. */
  readonly nodeUrl?: string;
  /** Additional settings of the network. */
  readonly network?: Readonly<Record<string, unknown>>;
  /** `false`: only P and X; the C-Chain is not among the EVM chains. */
  readonly withCChain?: boolean;
  readonly indexing?: Readonly<Record<string, number>>;
  /** A database to continue with; if absent, an empty one that is dropped in the end. */
  readonly database?: TestDatabase;
}

/** The public state of a chain's indexing. */
interface Seen {
  readonly state: string;
  readonly reason: string | null;
}

/** A primary network that the real indexer indexes. */
export interface PrimaryIndexing extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly networkId: number;
  /** Waits until a chain has this state and a reason that matches; fails after 30 s. */
  untilState(chain: Chain, state: string, reason?: RegExp): Promise<void>;
  /** Waits until these blocks are the last indexed ones. */
  untilHeads(heads: Readonly<Partial<Record<Chain, number>>>): Promise<void>;
  /** Waits until this many blocks of the C-Chain have rows. */
  untilProposers(count: number): Promise<void>;
  heads(): Promise<Readonly<Partial<Record<Chain, number>>>>;
}

/** Starts the real indexer on a recorded network, polling often. */
export async function startPrimaryIndexing(options: PrimaryIndexingOptions): Promise<PrimaryIndexing> {
  const { folder, node, nodeUrl = node.url, network, withCChain = true, indexing, database } = options;
  const own = database ?? (await createTestDatabase());
  const { pool } = own;
  const { manifest } = node.recording;
  const networkId = manifest.networkID;
  const [cChain] = demoConfig(manifest, nodeUrl);
  const config = testConfig({
    evmChains: withCChain ? [{ ...cChain, enabledFeatures: [], traces: "off" }] : [],
    primaryNetworks: [{ ...demoNetwork(manifest, folder, nodeUrl), ...network }],
    indexing: { pollIntervalMs: 50, standbyPollMs: 50, requestTimeoutMs: 5_000, ...indexing },
  });
  const indexer = startIndexer(config, own.url, createLogger("silent"));
  const seen = async (chain: Chain): Promise<Seen> => {
    const text = "SELECT state, reason FROM primary_progress WHERE network_id = $1 AND chain = $2";
    return (await pool.query<Seen>(text, [networkId, chain])).rows[0] ?? { state: "", reason: null };
  };
  const heads = async () => {
    const text = "SELECT chain, block_number FROM primary_heads WHERE network_id = $1";
    const { rows } = await pool.query<{ chain: Chain; block_number: string }>(text, [networkId]);
    return Object.fromEntries(rows.map(({ chain, block_number }) => [chain, Number(block_number)]));
  };
  return {
    database: own,
    networkId,
    heads,
    async untilState(chain, state, reason = /^/) {
      const isDone = (now: Seen) => now.state === state && reason.test(now.reason ?? "");
      await until(() => seen(chain), isDone, `${chain} to be ${state} ${reason}`);
    },
    async untilHeads(wanted) {
      const isDone = (now: Awaited<ReturnType<typeof heads>>) =>
        Object.entries(wanted).every(([chain, height]) => now[chain] === height);
      await until(heads, isDone, `the rows to reach ${JSON.stringify(wanted)}`);
    },
    async untilProposers(count) {
      const text = "SELECT count(*)::int AS count FROM primary_blocks WHERE network_id = $1 AND chain = 'C'";
      const read = async () => (await pool.query<{ count: number }>(text, [networkId])).rows[0]?.count;
      await until(read, (now) => now === count, `${count} blocks of the C-Chain`);
    },
    async [Symbol.asyncDispose]() {
      await indexer[Symbol.asyncDispose]();
      if (!database) await own[Symbol.asyncDispose]();
    },
  };
}
