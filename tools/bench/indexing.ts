import { setTimeout as sleep } from "node:timers/promises";
import { configSchema } from "../../core/config/config-schema.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { chainRules } from "../../indexer/evm/decode/chain-rules.ts";
import { replayRawBlocks } from "../../indexer/evm/replay/replay.ts";
import { clearRows } from "../../indexer/evm/store/roll-back.ts";
import { startIndexer } from "../../indexer/indexer.ts";
import { tryBecomeWriter } from "../../indexer/shared/writer.ts";
import { inSession } from "./database.ts";
import { postgresMs, postgresServer } from "./processor-time.ts";
import { blockText, DEPLOYMENTS, INTERNALS, TRANSACTIONS } from "./synthetic/chain.ts";
import { MIXED_LOGS, MIXED_TRANSFERS, mixedBlockText } from "./synthetic/mixed-chain.ts";
import { startNode } from "./synthetic/start-node.ts";

const BLOCKS = 3_000;

/** The synthetic chains that are indexed. In the first two, each transaction has one log and one transfer. */
const INDEXING_SETTINGS: readonly IndexingSettings[] = [
  { name: "blocks and receipts", chainId: 990_001, traces: "off", blocks: BLOCKS },
  { name: "blocks, receipts and call trees", chainId: 990_002, traces: "on", blocks: BLOCKS },
  { name: "mixed blocks and receipts", chainId: 990_006, traces: "off", blocks: BLOCKS, isMixed: true },
];

export interface IndexingSettings {
  readonly name: string;
  readonly chainId: number;
  readonly traces: "on" | "off";
  readonly blocks: number;
  /** True for blocks like those of a real chain, without call trees. */
  readonly isMixed?: boolean;
}

/** Speed of writing a chain, and processor time in milliseconds per block. */
export interface Speed {
  readonly blocksPerSecond: number;
  /** Of this process, in which the indexer runs. */
  readonly indexerMs: number;
  readonly postgresMs: number;
}

/** Speed of indexing a chain from its node and of replaying it from the raw blocks, and the size of that store. */
export interface Indexing {
  readonly name: string;
  readonly backfill: Speed;
  readonly replay: Speed;
  readonly eventsPerBlock: number;
  readonly storedBytesPerBlock: number;
  /** Length of the JSON that the node returns for a block. */
  readonly rawBytesPerBlock: number;
}

/**
 * Indexes a synthetic chain with the real indexer, then replays its rows from the raw blocks. Repeats this with each
 * setting.
 */
export async function measureIndexing(url: string): Promise<Indexing[]> {
  const measured: Indexing[] = [];
  for (const settings of INDEXING_SETTINGS) measured.push(await measureChain(url, settings));
  return measured;
}

/** The same for one synthetic chain, whose id must not have been used before. */
export async function measureChain(url: string, settings: IndexingSettings): Promise<Indexing> {
  const isTraced = settings.traces === "on";
  const middle = settings.blocks >> 1;
  const { block, receipts, traces } = {
    ...blockText(settings.chainId, middle),
    ...(settings.isMixed ? mixedBlockText(settings.chainId, middle) : {}),
  };
  return {
    name: settings.name,
    backfill: await backfill(url, settings),
    replay: await replay(url, settings),
    eventsPerBlock: eventsOf(settings),
    storedBytesPerBlock: await storedBytes(url, settings),
    rawBytesPerBlock: lengthOf([block, receipts, ...(isTraced ? [traces] : [])]),
  };
}

/** Transactions, logs and transfers of a block; call trees add internal transactions and deployments. */
function eventsOf({ isMixed, traces }: IndexingSettings): number {
  if (isMixed) return TRANSACTIONS + MIXED_LOGS + MIXED_TRANSFERS;
  return 3 * TRANSACTIONS + (traces === "on" ? INTERNALS + DEPLOYMENTS : 0);
}

async function backfill(url: string, { chainId, traces, blocks, isMixed = false }: IndexingSettings): Promise<Speed> {
  await using node = await startNode({ chainId, blocks, isMixed });
  const chain = { chainId, network: "fuji", nodeUrl: node.url, chainName: "Synthetic", traces };
  const config = configSchema.parse({ evmChains: [chain] });
  const finish = await startMeasuring(url);
  await using indexer = startIndexer(config, url, createLogger("error"));
  while ((indexer.progress[0]?.current.blockNumber ?? -1) < blocks - 1) await sleep(5);
  return finish(blocks);
}

async function replay(url: string, { chainId, blocks }: IndexingSettings): Promise<Speed> {
  await using writer = await tryBecomeWriter(url, String(chainId));
  if (!writer) throw new Error("another process writes the synthetic chain");
  await writer.transaction((session) => clearRows(session, String(chainId)));
  const finish = await startMeasuring(url);
  const head = await replayRawBlocks({ writer, rules: chainRules({ chainId }) });
  const speed = finish(blocks);
  if (head.blockNumber !== blocks - 1) throw new Error(`the replay ended at block ${head.blockNumber}`);
  return speed;
}

/** Starts a measurement, and returns a function that ends it, for the number of blocks that were written meanwhile. */
export async function startMeasuring(url: string): Promise<(blocks: number) => Speed> {
  const server = await postgresServer(url);
  const ownMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  const before = { at: performance.now(), own: ownMs(), postgres: postgresMs(server) };
  return (blocks) => ({
    blocksPerSecond: (blocks * 1_000) / (performance.now() - before.at),
    indexerMs: (ownMs() - before.own) / blocks,
    postgresMs: (postgresMs(server) - before.postgres) / blocks,
  });
}

const lengthOf = (texts: readonly string[]): number => texts.reduce((length, text) => length + text.length, 0);

/** Size of the raw blocks (blocks and call trees) in bytes per block. */
function storedBytes(url: string, { chainId, blocks }: IndexingSettings): Promise<number> {
  const text = `SELECT (SELECT sum(octet_length(payload)) FROM raw_blocks WHERE chain_id = $1)
      + coalesce((SELECT sum(octet_length(payload)) FROM raw_traces WHERE chain_id = $1), 0) AS bytes`;
  return inSession(url, async (client) => {
    const { rows } = await client.query<{ bytes: string }>(text, [chainId]);
    return Number(rows[0]?.bytes) / blocks;
  });
}
