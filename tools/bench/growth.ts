import { setTimeout as sleep } from "node:timers/promises";
import { configSchema } from "../../core/config/config-schema.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";
import { databaseBytes } from "./database.ts";
import { type Speed, startMeasuring } from "./indexing.ts";
import { TRANSACTIONS } from "./synthetic/chain.ts";
import { startNode } from "./synthetic/start-node.ts";
import type { Line } from "./table.ts";

const CHAIN_ID = 990_005;
const STRETCHES = 8;
/** The node keeps all of them in memory: 20,000 need about 2 GB. */
const BLOCKS = Number(process.env["MORAINE_BENCH_GROWTH_BLOCKS"] ?? 20_000);

/** The speed of indexing a stretch of blocks of a growing chain. */
interface Stretch extends Speed {
  readonly lastBlock: number;
  /** Size of the database at the end of the stretch. */
  readonly databaseBytes: number;
}

/** Indexes a chain of mixed blocks without call trees from a node, and measures each eighth of it, to find out how its size slows it down. */
export async function measureGrowth(url: string): Promise<Stretch[]> {
  await using node = await startNode({ chainId: CHAIN_ID, blocks: BLOCKS, isMixed: true });
  const chain = { chainId: CHAIN_ID, network: "fuji", nodeUrl: node.url, chainName: "Synthetic", traces: "off" };
  const sizeBefore = await databaseBytes(url);
  await using indexer = startIndexer(configSchema.parse({ evmChains: [chain] }), url, createLogger("error"));
  const blockNumber = () => indexer.progress[0]?.current.blockNumber ?? -1;
  const stretches: Stretch[] = [];
  let first = 0;
  for (let stretch = 1; stretch <= STRETCHES; stretch++) {
    const end = Math.round((BLOCKS * stretch) / STRETCHES) - 1;
    const finish = await startMeasuring(url);
    while (blockNumber() < end) await sleep(5);
    const lastBlock = blockNumber();
    const speed = finish(lastBlock + 1 - first);
    stretches.push({ ...speed, lastBlock, databaseBytes: (await databaseBytes(url)) - sizeBefore });
    first = lastBlock + 1;
  }
  return stretches;
}

export function growthLines(stretches: readonly Stretch[]): Line[] {
  return [
    ["transactions", "blocks/s", "transactions/s", "indexer CPU ms/block", "PostgreSQL CPU ms/block", "database MB"],
    ...stretches.map(({ lastBlock, blocksPerSecond, indexerMs, postgresMs, databaseBytes }) => [
      ((lastBlock + 1) * TRANSACTIONS).toLocaleString("en"),
      blocksPerSecond.toFixed(0),
      Math.round(blocksPerSecond * TRANSACTIONS).toLocaleString("en"),
      indexerMs.toFixed(2),
      postgresMs.toFixed(2),
      Math.round(databaseBytes / 1e6).toLocaleString("en"),
    ]),
  ];
}
