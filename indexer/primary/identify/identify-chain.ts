import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import { decodeBlock } from "../decode/entries.ts";
import { stopVertexId } from "../decode/links.ts";
import type { ContainerIndex } from "../fetch/container-index.ts";
import type { PrimarySource } from "../fetch/source.ts";
import type { RawBlockChain } from "../network/chains.ts";
import type { NetworkFacts } from "../network/network.ts";
import { blockAt, identifyNetwork } from "./identify-network.ts";

/** The vertices of an X-Chain from before Cortina. */
export interface VertexRange {
  readonly count: number;
  /** Id of the stop vertex, the parent of block 0. The node's index may lack it. */
  readonly stopVertexId: string;
}

/** How the indexer reads a chain from a node. */
export interface ChainAccess {
  /** The node's index of blocks; null if blocks are fetched by height, without their proposers. */
  readonly containers: ContainerIndex | null;
  /** The vertices to index before block 0; null if there are none or if blocks are indexed already. */
  readonly vertices: VertexRange | null;
  /** The id that block 0 names as its parent. */
  readonly firstParentId: string;
}

export interface IdentifiedChain {
  readonly chain: RawBlockChain;
  readonly network: NetworkFacts;
  readonly source: PrimarySource;
  /** The setting `primaryNetworks[].index`. */
  readonly index: "auto" | "on" | "off";
  /** The last indexed block; height -1 before the first. */
  readonly indexed: { readonly blockNumber: number; readonly blockHash: string };
  /** Logs that blocks are fetched without their proposers, and why. */
  readonly note: (message: string) => void;
}

/**
 * Checks that the node serves the indexed chain and finds out how to read it. Throws `BadUpstreamData` if it serves another
 * chain, and `NodeUnavailable` if it lacks an index that is required.
 */
export async function identifyChain(identified: IdentifiedChain): Promise<ChainAccess> {
  const { chain, network, source, indexed } = identified;
  await identifyNetwork(source, network);
  if (chain === "X") await checkXChainId(source, network);
  const height = await source.height(chain);
  if (indexed.blockNumber >= 0 && height >= indexed.blockNumber) {
    const served = await blockAt(source, chain, indexed.blockNumber);
    if (served.id !== indexed.blockHash)
      throw new BadUpstreamData(
        `block ${indexed.blockNumber} of the node's ${chain}-Chain is ${formatId(served.id)}, but ${formatId(indexed.blockHash)} is indexed`,
      );
  }
  const containers = await usableIndex(identified, height);
  if (chain === "P") return { containers, vertices: null, firstParentId: network.genesis.id };
  const { parentId: firstParentId } = await blockAt(source, "X", 0);
  const vertices = indexed.blockNumber < 0 ? await vertexRange(source, network, firstParentId) : null;
  return { containers, vertices, firstParentId };
}

async function checkXChainId(source: PrimarySource, { xChainId }: NetworkFacts): Promise<void> {
  const served = await source.chainId("X");
  if (served !== null && served !== xChainId)
    throw new BadUpstreamData(`the node's X-Chain is ${formatId(served)}, not ${formatId(xChainId)}`);
}

async function vertexRange(
  source: PrimarySource,
  { xChainId }: NetworkFacts,
  firstParentId: string,
): Promise<VertexRange | null> {
  if (firstParentId === stopVertexId(xChainId, 0, [])) return null;
  const count = await source.vertices.length();
  if (count) return { count, stopVertexId: firstParentId };
  throw new NodeUnavailable(
    "the X-Chain began with vertices, and the node has no index of them: use a node that has run with --index-enabled since its database was empty",
  );
}

async function usableIndex(
  { chain, source, index, indexed, note }: IdentifiedChain,
  height: number,
): Promise<ContainerIndex | null> {
  if (index === "off") return null;
  const containers = source.containers[chain];
  const problem = await indexProblem(chain, containers, height, indexed.blockNumber);
  if (problem === null) return containers;
  if (index === "on") throw new NodeUnavailable(problem);
  note(`${problem}: blocks are fetched by height, without their proposers`);
  return null;
}

/** The reason why the node's index of a chain cannot be used; null if it can be used. */
export async function indexProblem(
  chain: RawBlockChain,
  containers: ContainerIndex,
  height: number,
  indexed: number,
): Promise<string | null> {
  const name = `the node's index of the ${chain}-Chain`;
  const length = await containers.length();
  if (length === null) return `${name} is switched off`;
  const first = Math.max(1, Math.min(indexed, height));
  if (height === 0) return null;
  const [container] = await containers.from(first - 1, 1);
  if (!container) return `${name} ends before block ${first}`;
  const entry = { seq: first, isVertex: false, payload: container.bytes, acceptedAt: container.acceptedAt };
  const found = decodeBlock(chain, entry).block.height;
  return found === first ? null : `${name} is incomplete: it has block ${found} at the position of block ${first}`;
}
