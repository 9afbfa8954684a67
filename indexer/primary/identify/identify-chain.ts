import { decodePBlock } from "../../../core/codec/blocks/p-blocks.ts";
import { decodeContainer } from "../../../core/codec/blocks/proposer-blocks.ts";
import { decodeXBlock } from "../../../core/codec/blocks/x-blocks.ts";
import { BadUpstreamData } from "../../../core/errors.ts";
import { formatId } from "../../../core/id-text.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import { stopVertexId } from "../decode/links.ts";
import type { ContainerIndex } from "../fetch/container-index.ts";
import type { PrimarySource } from "../fetch/source.ts";
import type { JournalDeps } from "../follow/journal.ts";
import type { Dag } from "../follow/vertices.ts";
import type { NetworkFacts } from "../network/network.ts";
import type { JournalChain } from "../raw-store/journal.ts";

/** How a node gives a chain. */
export interface Way {
  /** Null: blocks come by their height, without their proposers. */
  readonly containers: ContainerIndex | null;
  /** The vertices that are missing; null where the chain began with its block 0, or all are there. */
  readonly dag: Dag | null;
  /** What block 0 names as its parent. */
  readonly firstParentId: string;
}

const DECODE = { P: decodePBlock, X: decodeXBlock } as const;

/** Refuses a node of another network. */
export async function identifyNetwork(
  source: PrimarySource,
  { networkId, genesis }: { readonly networkId: number; readonly genesis: { readonly id: string } },
): Promise<void> {
  const served = await source.networkId();
  if (served !== null && served !== networkId)
    throw new BadUpstreamData(`the node is of network ${served}, not of ${networkId}`);
  const { parentId } = await blockAt(source, "P", 0);
  if (parentId !== genesis.id)
    throw new BadUpstreamData(
      `the node's network began with the genesis ${formatId(parentId)}, not with ${formatId(genesis.id)}`,
    );
}

/** Refuses a node whose chain is another than the one that is indexed, and finds out how it gives its blocks. */
export async function identifyChain(deps: JournalDeps): Promise<Way> {
  const { chain, network, source, replay } = deps;
  await identifyNetwork(source, network);
  if (chain === "X") await refuseOtherXChain(source, network);
  const height = await source.height(chain);
  const { blockNumber, blockHash } = replay.heads[chain];
  if (blockNumber >= 0 && height >= blockNumber) {
    const theirs = await blockAt(source, chain, blockNumber);
    if (theirs.id !== blockHash)
      throw new BadUpstreamData(
        `block ${blockNumber} of the node's ${chain}-Chain is ${formatId(theirs.id)}, but ${formatId(blockHash)} is indexed`,
      );
  }
  const containers = await containersOf(deps, height);
  if (chain === "P") return { containers, dag: null, firstParentId: network.genesis.id };
  const { parentId: firstParentId } = await blockAt(source, "X", 0);
  return { containers, firstParentId, dag: blockNumber < 0 ? await dagOf(source, network, firstParentId) : null };
}

async function refuseOtherXChain(source: PrimarySource, { xChainId }: NetworkFacts): Promise<void> {
  const served = await source.chainId("X");
  if (served !== null && served !== xChainId)
    throw new BadUpstreamData(`the node's X-Chain is ${formatId(served)}, not ${formatId(xChainId)}`);
}

async function dagOf(source: PrimarySource, { xChainId }: NetworkFacts, endId: string): Promise<Dag | null> {
  if (endId === stopVertexId(xChainId, 0, [])) return null;
  const count = await source.vertices.length();
  if (count) return { count, stopVertexId: endId };
  throw new NodeUnavailable(
    "the X-Chain began with vertices, which only a node has that ran with --index-enabled from an empty database",
  );
}

async function containersOf(
  { chain, source, settings, replay, note }: JournalDeps,
  height: number,
): Promise<ContainerIndex | null> {
  if (settings.index === "off") return null;
  const containers = source.containers[chain];
  const fault = await faultOf(chain, containers, height, replay.heads[chain].blockNumber);
  if (fault === null) return containers;
  if (settings.index === "on") throw new NodeUnavailable(fault);
  note(`${fault}: its blocks are taken by their heights, without their proposers`);
  return null;
}

/** Why an index cannot be used; null when it can. */
async function faultOf(
  chain: JournalChain,
  containers: ContainerIndex,
  height: number,
  indexed: number,
): Promise<string | null> {
  const what = `the node's index of the ${chain}-Chain`;
  const length = await containers.length();
  if (length === null) return `${what} is switched off`;
  const first = Math.max(1, Math.min(indexed, height));
  if (height === 0) return null;
  const [container] = await containers.from(first - 1, 1);
  if (!container) return `${what} ends before block ${first}`;
  const found = DECODE[chain](decodeContainer(container.bytes).block).height;
  return found === first ? null : `${what} is not whole: it has block ${found} in the place of block ${first}`;
}

async function blockAt(source: PrimarySource, chain: JournalChain, height: number) {
  const [bytes] = await source.blocks(chain, height, height);
  return DECODE[chain](bytes as Uint8Array);
}
