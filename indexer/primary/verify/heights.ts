import { setTimeout as sleep } from "node:timers/promises";
import { BadUpstreamData, quoted } from "../../../core/errors/errors.ts";
import { ExpectedError } from "../../../core/errors/expected-error.ts";
import { isObject } from "../../../core/formats/json.ts";
import { PRIMARY_CHAIN_ALIASES, PRIMARY_CHAINS, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { ComparisonDeps } from "./comparison.ts";
import { EVM_PATH, nullIfAbsent, PATHS, SERVICES } from "./node.ts";

/** How often the heights are read until the index and the node agree. */
const ATTEMPTS = 30;

/** Height of the last indexed block by chain, without chains of which nothing is indexed. */
export type Heights = Readonly<Partial<Record<PrimaryChain, number>>>;

/** The rows and the node cannot be compared, because they are at different heights. */
export class DifferentHeights extends ExpectedError {
  override readonly name = "DifferentHeights";
  // Nothing was compared, so nothing is known to be wrong.
  override readonly exitCode = 2;
}

interface HeadRow {
  readonly chain: PrimaryChain;
  readonly block_number: string;
  readonly silent_seconds: string | null;
}

const HEADS = `SELECT h.chain, h.block_number, extract(epoch FROM now())::bigint - p.updated_at AS silent_seconds
  FROM primary_heads h LEFT JOIN primary_progress p USING (network_id, chain)
  WHERE h.network_id = $1 AND h.raw_seq >= 0 ORDER BY position(h.chain IN 'PXC')`;

/** An indexer that runs writes its progress at every poll. */
const SILENT_SECONDS = 60;

/**
 * Waits until the index has the node's last block of every indexed chain. Rejects with `DifferentHeights`, which names both heights, if
 * this does not happen.
 */
export async function untilSameHeights({ pool, network, node }: ComparisonDeps, pauseMs: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { different, nodeHeights } = await readHeights({ pool, network, node }, PRIMARY_CHAINS);
    if (different.length === 0) return;
    if (attempt === ATTEMPTS) throw new DifferentHeights(textOf(different, nodeHeights));
    await sleep(pauseMs);
  }
}

/** The chains of which something is indexed. */
export async function indexedChains({
  pool,
  network,
}: Pick<ComparisonDeps, "pool" | "network">): Promise<PrimaryChain[]> {
  const { rows } = await pool.query<HeadRow>(HEADS, [network.networkId]);
  return rows.map(({ chain }) => chain);
}

/** The heights of some chains if the index and the node have the same last block of each; else null. */
export async function sameHeights(deps: ComparisonDeps, chains: readonly PrimaryChain[]): Promise<Heights | null> {
  const { rows, different } = await readHeights(deps, chains);
  if (different.length > 0 || rows.length < chains.length) return null;
  return Object.fromEntries(rows.map(({ chain, block_number }) => [chain, Number(block_number)]));
}

async function readHeights({ pool, network, node }: ComparisonDeps, chains: readonly PrimaryChain[]) {
  // The node's heights are read first: a block that it accepts meanwhile is then indexed at most, never missing.
  const nodeHeights: Record<PrimaryChain, number | null> = { P: null, X: null, C: null };
  for (const chain of chains) nodeHeights[chain] = await heightOf(node, chain);
  const { rows } = await pool.query<HeadRow>(HEADS, [network.networkId]);
  const own = rows.filter(({ chain }) => chains.includes(chain));
  const different = own.filter(({ chain, block_number }) => {
    const height = nodeHeights[chain];
    return height !== null && height !== Number(block_number);
  });
  return { rows: own, different, nodeHeights };
}

/** Null if the chain has no height, or the node does not offer the method. */
async function heightOf(node: ComparisonDeps["node"], chain: PrimaryChain): Promise<number | null> {
  if (chain === "C") {
    const height = await nullIfAbsent(node.ask(EVM_PATH, "eth_blockNumber", {}));
    return height === null ? null : checkedHeight("eth_blockNumber", height);
  }
  const method = `${SERVICES[chain]}.getHeight`;
  const answer = await nullIfAbsent(node.ask(PATHS[chain], method, {}));
  return answer === null ? null : checkedHeight(method, isObject(answer) ? answer["height"] : answer);
}

function checkedHeight(method: string, height: unknown): number {
  if (typeof height === "string" && Number.isSafeInteger(Number(height))) return Number(height);
  throw new BadUpstreamData(`${method} returned ${quoted(height)} instead of a height`);
}

function textOf(rows: readonly HeadRow[], nodeHeights: Readonly<Record<PrimaryChain, number | null>>): string {
  const heights = rows.map(
    ({ chain, block_number }) =>
      `${PRIMARY_CHAIN_ALIASES[chain]} is indexed up to block ${block_number}, and the node is at block ${nodeHeights[chain]}`,
  );
  const isNodeBehind = rows.every(({ chain, block_number }) => Number(block_number) > (nodeHeights[chain] ?? 0));
  const isSilent = rows.some(
    ({ silent_seconds }) => silent_seconds === null || Number(silent_seconds) > SILENT_SECONDS,
  );
  const remedy = isNodeBehind
    ? "wait until the node has caught up"
    : isSilent
      ? "the indexer does not run: start it"
      : "wait until the indexer has caught up";
  return `nothing was compared: ${heights.join("; ")}; ${remedy}, then run the command again`;
}
