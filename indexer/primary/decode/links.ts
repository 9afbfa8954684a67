import { BadUpstreamData } from "../../../core/errors/errors.ts";
import type { ProposerBlock } from "../../../core/formats/codec/blocks/proposer-blocks.ts";
import type { Vertex } from "../../../core/formats/codec/blocks/vertices.ts";
import { sha256 } from "../../../core/formats/codec/bytes/hashes.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import type { RawBlockChain } from "../network/chains.ts";

/** The ids and the height of a chain's last block, to which the next block must refer. Ids are hex. */
export interface ChainTip {
  /** -1 before the first block. */
  readonly height: number;
  /** Before the first block: the id that block 0 names as its parent. */
  readonly blockId: string;
  /** Id of the ProposerVM wrapper; the block's own id if it has none or if the node gave the block without it. */
  readonly containerId: string;
}

/** The fields by which a block refers to its place in the chain. */
interface LinkedBlock {
  readonly id: string;
  readonly parentId: string;
  readonly height: number;
}

/**
 * Checks that a block follows the tip and returns it as the new tip. `reportedId` is the id by which the node's index lists
 * the block, or null. Throws `BadUpstreamData` if the id, the height or the parent does not match.
 */
export function nextTip(
  chain: RawBlockChain | "C",
  tip: ChainTip,
  block: LinkedBlock,
  proposer: ProposerBlock | null,
  reportedId: string | null,
): ChainTip {
  const height = tip.height + 1;
  const containerId = proposer?.id ?? block.id;
  const what = `block ${height} of the ${chain}-Chain`;
  if (reportedId !== null && reportedId !== containerId)
    throw new BadUpstreamData(
      `the id of ${what} is ${formatId(containerId)}, but the node's index lists it as ${formatId(reportedId)}`,
    );
  if (block.height !== height) throw new BadUpstreamData(`the node returned block ${block.height} for ${what}`);
  if (block.parentId !== tip.blockId) throw new BadUpstreamData(wrongParent(what, block.parentId, tip.blockId));
  // If the node gave the parent without its wrapper, the wrapper's id is unknown.
  const isWrapperKnown = tip.containerId !== tip.blockId || proposer?.parentId === tip.blockId;
  if (proposer && isWrapperKnown && proposer.parentId !== tip.containerId)
    throw new BadUpstreamData(wrongParent(`the ProposerVM wrapper of ${what}`, proposer.parentId, tip.containerId));
  return { height, blockId: block.id, containerId };
}

const wrongParent = (what: string, named: string, actual: string): string =>
  `${what} names ${formatId(named)} as its parent, but the block before it is ${formatId(actual)}`;

/** Checks that a vertex is of this X-Chain and has the id by which the node's index lists it. Throws `BadUpstreamData`. */
export function checkVertex(xChainId: string, vertex: Vertex, reportedId: string | null): void {
  if (reportedId !== null && reportedId !== vertex.id)
    throw new BadUpstreamData(
      `the id of a vertex is ${formatId(vertex.id)}, but the node's index lists it as ${formatId(reportedId)}`,
    );
  if (vertex.chainId !== xChainId)
    throw new BadUpstreamData(`vertex ${formatId(vertex.id)} is of another chain: ${formatId(vertex.chainId)}`);
}

/**
 * Id of the stop vertex at this height with these parents, which are all vertices that no other vertex names as its parent. The
 * list is empty if the chain has no vertices.
 */
export function stopVertexId(xChainId: string, height: number, parentIds: readonly string[]): string {
  const head = Buffer.alloc(2 + 32 + 8 + 4);
  head.writeUInt16BE(1);
  head.write(xChainId, 2, "hex");
  head.writeBigUInt64BE(BigInt(height), 34);
  head.writeUInt32BE(parentIds.length, 42);
  return sha256(head, ...parentIds.toSorted().map((id) => Buffer.from(id, "hex")));
}
