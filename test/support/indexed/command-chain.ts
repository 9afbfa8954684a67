import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import type { CommandDeps } from "../../../indexer/evm/commands/command.ts";
import { chainRules } from "../../../indexer/evm/decode/chain-rules.ts";
import { createEvmSource } from "../../../indexer/evm/fetch/source.ts";
import { startIndexer } from "../../../indexer/indexer.ts";
import { createNodeClient } from "../../../indexer/shared/node/node-client.ts";
import { demoConfig } from "../../../recordings/demo.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../../recordings/replay-node.ts";
import { testConfig } from "../config.ts";
import { createFilledDatabase, type TestDatabase } from "../database/database.ts";
import { dumpTable, dumpTables, hashTables } from "../database/tables.ts";
import type { Fault } from "../node/faults.ts";
import { type FaultyNode, startFaultyNode } from "../node/faulty-node.ts";
import { failure } from "../node/rpc-answers.ts";
import { indexedAlpha, untilIndexed } from "./indexed.ts";

export const C_CHAIN = 760_011;
export const ALL_BLOCKS = { from: 0, to: Number.MAX_SAFE_INTEGER };

type Settings = Readonly<Record<string, unknown>>;
type TableName = Parameters<typeof dumpTable>[2];

/** The recorded C-Chain, its node, and commands of operators on databases in which it is indexed. */
export interface CommandChain extends AsyncDisposable {
  /** The node, behind a proxy with faults. */
  readonly faulty: FaultyNode;
  /** The rows of the chain that was indexed with call trees. */
  readonly whole: Awaited<ReturnType<typeof dumpTables>>;
  readonly wholeHashes: Awaited<ReturnType<typeof hashTables>>;
  chainConfig(settings?: Settings): EvmChainConfig;
  commandOn(database: TestDatabase, settings?: Settings): CommandDeps & AsyncDisposable;
  rowsOf(database: TestDatabase, table: TableName): ReturnType<typeof dumpTable>;
  /** Expects the rows of the chain that was indexed with call trees, in all tables. */
  expectWholeRows(database: TestDatabase): Promise<void>;
  indexedWithoutTraces(): Promise<TestDatabase>;
}

export async function startCommandChain(): Promise<CommandChain> {
  const node = await startReplayNode({ recording: openRecording(ALPHA), heads: "full" });
  const faulty = await startFaultyNode({ upstream: node.url });
  await using database = await indexedAlpha();
  const whole = await dumpTables(database.pool, C_CHAIN);
  const wholeHashes = await hashTables(database.pool, C_CHAIN);
  const chainConfig = (settings: Settings = {}): EvmChainConfig => {
    const chains = demoConfig(node.recording.manifest, faulty.url).map((chain) => ({ ...chain, ...settings }));
    return testConfig({ evmChains: chains }).evmChains.find(({ chainId }) => chainId === C_CHAIN) as EvmChainConfig;
  };
  return {
    faulty,
    whole,
    wholeHashes,
    chainConfig,
    commandOn: ({ url }, settings) => createCommand(url, chainConfig(settings)),
    rowsOf: ({ pool }, table) => dumpTable(pool, C_CHAIN, table),
    async expectWholeRows({ pool }) {
      expect(await hashTables(pool, C_CHAIN)).toEqual(wholeHashes);
    },
    indexedWithoutTraces: () =>
      createFilledDatabase("alpha_c_without_traces", async (database) => {
        const config = testConfig({ evmChains: [chainConfig({ traces: "off" })] });
        await using _indexer = startIndexer(config, database.url, createLogger("error"));
        await untilIndexed(database, { [C_CHAIN]: whole.head });
      }),
    async [Symbol.asyncDispose]() {
      await faulty[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
}

function createCommand(url: string, chain: EvmChainConfig): CommandDeps & AsyncDisposable {
  const options = { requestTimeoutMs: 5_000, maxConcurrency: 4, maxBatchSize: 50, headers: {} };
  const client = createNodeClient({ ...options, url: chain.nodeUrl ?? "", signal: new AbortController().signal });
  return {
    url,
    rules: chainRules(chain),
    source: createEvmSource(client, chain.traces),
    signal: new AbortController().signal,
    report: () => {},
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** Refuses the call trees of these blocks, like a node that has pruned their state. */
export const prunedTraces = (from: number, to: number): Fault => ({
  answer: (method, [block], answer) => {
    const isIt = method === "debug_traceBlockByNumber" && Number(block) >= from && Number(block) <= to;
    return isIt ? failure(-32000, "required historical state unavailable") : answer;
  },
});
