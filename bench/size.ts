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

type Size = "bytes" | "compactBytes";

const perTransaction = (parts: readonly PartSize[], size: Size = "bytes"): string =>
  (parts.reduce((sum, part) => sum + part[size], 0) / (BLOCKS * TRANSACTIONS)).toFixed(0);

/** A table for each chain, in bytes per transaction: as the tables are, and after `npm run compact`. */
export function sizeLines(sizes: readonly Sizes[]): Line[][] {
  return sizes.map(({ name, parts }) => [
    [name, "part", "bytes/transaction", "compacted"],
    ...totalLines(parts),
    ...parts.map((part, at): Line => {
      const own = parts.filter(({ table }) => table === part.table);
      const isFirst = parts[at - 1]?.table !== part.table;
      const title = isFirst
        ? `${part.table} (${perTransaction(own)}, compacted ${perTransaction(own, "compactBytes")})`
        : "";
      return [title, part.part, perTransaction([part]), perTransaction([part], "compactBytes")];
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
    perTransaction(own, "compactBytes"),
  ]);
}
