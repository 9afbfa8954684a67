import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { configSchema } from "../core/config-schema.ts";
import { createLogger } from "../core/logger.ts";
import { replayJournal } from "../indexer/evm/replay.ts";
import { clearRows } from "../indexer/evm/store.ts";
import { startIndexer } from "../indexer/indexer.ts";
import { tryBecomeWriter } from "../indexer/writer.ts";
import type { SyntheticChain } from "./synthetic-chain.ts";

const CHAIN: SyntheticChain = { chainId: 990_001, blocks: 3_000, transactionsPerBlock: 20 };
/** A transaction, its log, its transfer. */
const EVENTS_PER_BLOCK = 3 * CHAIN.transactionsPerBlock;
const TIMEOUT_MS = 120_000;

/** How fast a chain comes in from its node, and how fast it is made again from the journal. */
export async function measureIndexing(databaseUrl: string): Promise<string[]> {
  const node = fork(fileURLToPath(new URL("synthetic-chain.ts", import.meta.url)), ["serve", JSON.stringify(CHAIN)], {
    execArgv: ["--import", "tsx"],
  });
  const client = new pg.Client({ connectionString: databaseUrl });
  try {
    const [nodeUrl] = (await once(node, "message")) as [string];
    await client.connect();
    const backfill = await measureBackfill(databaseUrl, nodeUrl, client);
    const replay = await measureReplay(databaseUrl);
    const { rows } = await client.query<{ bytes: string }>(
      "SELECT avg(length(payload))::int AS bytes FROM journal WHERE chain_id = $1",
      [CHAIN.chainId],
    );
    return [
      line("backfill from a node", backfill),
      line("replay from the journal", replay),
      `journal: ${rows[0]?.bytes} bytes a block of ${CHAIN.transactionsPerBlock} transfers`,
    ];
  } finally {
    await client.end();
    node.kill();
  }
}

function line(what: string, ms: number): string {
  const blocks = Math.round((CHAIN.blocks * 1_000) / ms);
  const events = Math.round((CHAIN.blocks * EVENTS_PER_BLOCK * 1_000) / ms);
  return `${what.padEnd(24)} ${blocks.toLocaleString("en").padStart(8)} blocks/s ${events.toLocaleString("en").padStart(10)} events/s`;
}

async function measureBackfill(databaseUrl: string, nodeUrl: string, client: pg.Client): Promise<number> {
  const evmChains = [{ chainId: CHAIN.chainId, network: "fuji", nodeUrl, chainName: "synthetic" }];
  const startedAt = performance.now();
  await using _indexer = startIndexer(configSchema.parse({ evmChains }), databaseUrl, createLogger("error"));
  while (performance.now() - startedAt < TIMEOUT_MS) {
    const { rows } = await client.query<{ block_number: string }>(
      "SELECT block_number FROM chain_heads WHERE chain_id = $1",
      [CHAIN.chainId],
    );
    if (Number(rows[0]?.block_number) === CHAIN.blocks - 1) return performance.now() - startedAt;
    await sleep(10);
  }
  throw new Error("the synthetic chain was not indexed in time");
}

async function measureReplay(databaseUrl: string): Promise<number> {
  const chainId = String(CHAIN.chainId);
  await using writer = await tryBecomeWriter(databaseUrl, chainId);
  if (!writer) throw new Error("the writer of the backfill is still there");
  await writer.transaction((session) => clearRows(session, chainId));
  const startedAt = performance.now();
  await replayJournal({ writer, chainId });
  return performance.now() - startedAt;
}
