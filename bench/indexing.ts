import { setTimeout as sleep } from "node:timers/promises";
import { configSchema } from "../core/config-schema.ts";
import { createLogger } from "../core/logger.ts";
import { replayJournal } from "../indexer/evm/replay.ts";
import { chainRules } from "../indexer/evm/rules.ts";
import { clearRows } from "../indexer/evm/store.ts";
import { startIndexer } from "../indexer/indexer.ts";
import { tryBecomeWriter } from "../indexer/writer.ts";
import { startChild } from "./child.ts";
import { inSession } from "./database.ts";
import { blockText, CHAIN_ID, TRANSACTIONS } from "./synthetic-chain.ts";
import type { NodeInput } from "./synthetic-node.ts";

const BLOCKS = 3_000;
/** A transaction, its log and its transfer. */
const EVENTS_PER_BLOCK = 3 * TRANSACTIONS;

/** How fast a chain gets into the tables, from its node and from the journal alone, and what the journal takes. */
export interface Indexing {
  readonly backfillBlocksPerSecond: number;
  readonly replayBlocksPerSecond: number;
  readonly eventsPerBlock: number;
  readonly journalBytesPerBlock: number;
  /** Of the node's JSON. */
  readonly rawBytesPerBlock: number;
}

/** Indexes a synthetic chain by the real indexer, then makes its rows again from the journal. */
export async function measureIndexing(url: string): Promise<Indexing> {
  const backfillBlocksPerSecond = await backfill(url);
  const journalBytesPerBlock = await journalBytes(url);
  return {
    backfillBlocksPerSecond,
    replayBlocksPerSecond: await replay(url),
    eventsPerBlock: EVENTS_PER_BLOCK,
    journalBytesPerBlock,
    rawBytesPerBlock: rawBytes(),
  };
}

async function backfill(url: string): Promise<number> {
  await using node = await startChild("synthetic-node.ts", { blocks: BLOCKS } satisfies NodeInput);
  const chain = { chainId: CHAIN_ID, network: "fuji", nodeUrl: node.url, chainName: "Synthetic" };
  const config = configSchema.parse({ evmChains: [chain] });
  const startedAt = performance.now();
  await using indexer = startIndexer(config, url, createLogger("error"));
  while ((indexer.progress[0]?.current.blockNumber ?? -1) < BLOCKS - 1) await sleep(5);
  return blocksPerSecond(startedAt);
}

async function replay(url: string): Promise<number> {
  await using writer = await tryBecomeWriter(url, String(CHAIN_ID));
  if (!writer) throw new Error("another process writes the synthetic chain");
  await writer.transaction((session) => clearRows(session, String(CHAIN_ID)));
  const startedAt = performance.now();
  const head = await replayJournal({ writer, rules: chainRules({ chainId: CHAIN_ID }) });
  if (head.blockNumber !== BLOCKS - 1) throw new Error(`the replay ended at block ${head.blockNumber}`);
  return blocksPerSecond(startedAt);
}

const blocksPerSecond = (startedAt: number): number => (BLOCKS * 1_000) / (performance.now() - startedAt);

function journalBytes(url: string): Promise<number> {
  const text = "SELECT avg(octet_length(payload))::float8 AS bytes FROM journal WHERE chain_id = $1";
  return inSession(
    url,
    async (client) => (await client.query<{ bytes: number }>(text, [CHAIN_ID])).rows[0]?.bytes ?? Number.NaN,
  );
}

function rawBytes(): number {
  const { block, receipts } = blockText(BLOCKS >> 1);
  return block.length + receipts.length;
}
