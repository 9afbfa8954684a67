import { setTimeout as sleep } from "node:timers/promises";
import { configSchema } from "../../core/config/config-schema.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";
import { inSession } from "./database.ts";
import { TRANSACTIONS } from "./synthetic/chain.ts";
import type { NodeInput } from "./synthetic/node.ts";
import { startNode } from "./synthetic/start-node.ts";
import type { Line } from "./table.ts";
import { measureTableSizes, type PartSize } from "./table-sizes.ts";

const BLOCKS = 3_000;

/** Chains without call trees: one with a transfer in each transaction, and one with blocks like those of a real chain. */
const CHAINS = [
  { name: "one transfer a transaction", chainId: 990_003, isMixed: false },
  { name: "mixed blocks", chainId: 990_004, isMixed: true },
];

/** Sizes of the tables of an indexed chain. */
export interface Sizes {
  readonly name: string;
  readonly parts: readonly PartSize[];
}

/** Indexes synthetic chains from a node, and measures the sizes of their tables and indexes. */
export async function measureSizes(url: string): Promise<Sizes[]> {
  const sizes: Sizes[] = [];
  for (const { name, chainId, isMixed } of CHAINS) {
    const input = { chainId, blocks: BLOCKS, isMixed };
    await using node = await startNode(input);
    await index(url, input, node.url);
    sizes.push({ name, parts: await measureTableSizes(url, chainId, () => rebuildIndexes(url, input, node.url)) });
  }
  return sizes;
}

/** Indexes the chain, without rebuilding its indexes. */
async function index(url: string, input: NodeInput, nodeUrl: string): Promise<void> {
  await using indexer = startIndexer(configOf(input, nodeUrl, 0), url, createLogger("error"));
  while ((indexer.progress[0]?.current.blockNumber ?? -1) < input.blocks - 1) await sleep(5);
}

/** Waits until an indexer has rebuilt the indexes of the chain, which has caught up. */
async function rebuildIndexes(url: string, input: NodeInput, nodeUrl: string): Promise<void> {
  await using _indexer = startIndexer(configOf(input, nodeUrl, 1), url, createLogger("error"));
  await inSession(url, async (client) => {
    const isDue = async () => (await client.query(IS_DUE, [input.chainId])).rowCount === 1;
    while (await isDue()) await sleep(20);
  });
}

const IS_DUE = "SELECT FROM chain_heads WHERE chain_id = $1 AND batched_blocks > 0";

function configOf({ chainId }: NodeInput, nodeUrl: string, rebuildIndexesAfterBlocks: number) {
  const chain = { chainId, network: "fuji", nodeUrl, chainName: "Synthetic", traces: "off" };
  return configSchema.parse({ evmChains: [chain], indexing: { rebuildIndexesAfterBlocks } });
}

type Size = "bytes" | "rebuiltBytes";

const perTransaction = (parts: readonly PartSize[], size: Size = "bytes"): string =>
  (parts.reduce((sum, part) => sum + part[size], 0) / (BLOCKS * TRANSACTIONS)).toFixed(0);

/** A table for each chain, in bytes per transaction: when the chain has caught up, and after the indexer has rebuilt its indexes. */
export function sizeLines(sizes: readonly Sizes[]): Line[][] {
  return sizes.map(({ name, parts }) => [
    [name, "part", "caught up", "rebuilt"],
    ...totalLines(parts),
    ...parts.map((part, at): Line => {
      const own = parts.filter(({ table }) => table === part.table);
      const isFirst = parts[at - 1]?.table !== part.table;
      const title = isFirst
        ? `${part.table} (${perTransaction(own)}, rebuilt ${perTransaction(own, "rebuiltBytes")})`
        : "";
      return [title, part.part, perTransaction([part]), perTransaction([part], "rebuiltBytes")];
    }),
  ]);
}

function totalLines(parts: readonly PartSize[]): Line[] {
  const groups = {
    all: parts,
    tables: parts.filter(({ isIndex }) => !isIndex),
    indexes: parts.filter(({ isIndex }) => isIndex),
  };
  return Object.entries(groups).map(([name, own]) => [
    name === "all" ? name : "",
    name === "all" ? "" : name,
    perTransaction(own),
    perTransaction(own, "rebuiltBytes"),
  ]);
}
