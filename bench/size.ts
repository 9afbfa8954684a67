import { setTimeout as sleep } from "node:timers/promises";
import { configSchema } from "../core/config-schema.ts";
import { createLogger } from "../core/logger.ts";
import { startIndexer } from "../indexer/indexer.ts";
import { startChild } from "./child.ts";
import { TRANSACTIONS } from "./synthetic/chain.ts";
import type { NodeInput } from "./synthetic/node.ts";
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
    await index(url, { chainId, blocks: BLOCKS, isMixed });
    sizes.push({ name, parts: await measureTableSizes(url, chainId) });
  }
  return sizes;
}

async function index(url: string, input: NodeInput): Promise<void> {
  await using node = await startChild(new URL("synthetic/node.ts", import.meta.url), input);
  const chain = { chainId: input.chainId, network: "fuji", nodeUrl: node.url, chainName: "Synthetic", traces: "off" };
  await using indexer = startIndexer(configSchema.parse({ evmChains: [chain] }), url, createLogger("error"));
  while ((indexer.progress[0]?.current.blockNumber ?? -1) < input.blocks - 1) await sleep(5);
}

const perTransaction = (parts: readonly PartSize[]): string =>
  (parts.reduce((sum, { bytes }) => sum + bytes, 0) / (BLOCKS * TRANSACTIONS)).toFixed(0);

/** A table for each chain, in bytes per transaction. */
export function sizeLines(sizes: readonly Sizes[]): Line[][] {
  return sizes.map(({ name, parts }) => [
    [name, "part", "bytes/transaction", "% of all"],
    ...totalLines(parts),
    ...parts.map((part, at): Line => {
      const own = parts.filter(({ table }) => table === part.table);
      const isFirst = parts[at - 1]?.table !== part.table;
      return [isFirst ? `${part.table} (${perTransaction(own)})` : "", part.part, perTransaction([part]), ""];
    }),
  ]);
}

function totalLines(parts: readonly PartSize[]): Line[] {
  const total = Number(perTransaction(parts));
  const groups = {
    "": parts,
    tables: parts.filter(({ isIndex }) => !isIndex),
    indexes: parts.filter(({ isIndex }) => isIndex),
  };
  return Object.entries(groups).map(([name, own]) => {
    const bytes = perTransaction(own);
    return [name === "" ? "all" : "", name, bytes, ((100 * Number(bytes)) / total).toFixed(0)];
  });
}
