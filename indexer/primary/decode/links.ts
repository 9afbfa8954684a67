import { decodePBlock } from "../../../core/codec/blocks/p-blocks.ts";
import { decodeContainer, type ProposerBlock } from "../../../core/codec/blocks/proposer-blocks.ts";
import { decodeVertex, type Vertex } from "../../../core/codec/blocks/vertices.ts";
import { decodeXBlock } from "../../../core/codec/blocks/x-blocks.ts";
import { sha256 } from "../../../core/codec/bytes/hashes.ts";
import { BadUpstreamData } from "../../../core/errors.ts";
import { formatId } from "../../../core/id-text.ts";
import { mapInTurns } from "../../../core/yield-to-event-loop.ts";
import type { JournalChain } from "../raw-store/journal.ts";

/** The end of a chain as far as what follows must fit. Ids are hex. */
export interface Link {
  /** -1 before the first block. */
  readonly height: number;
  /** Before the first block what it names as its parent. */
  readonly blockId: string;
  /** Id of the wrapping; the block's own where there is none, or where it was not given. */
  readonly containerId: string;
}

/** Bytes that the node gave, and the id that it gave them, if it did. */
export interface Given {
  readonly bytes: Uint8Array;
  readonly id: string | null;
}

/** What a block says of its place. */
interface Placed {
  readonly id: string;
  readonly parentId: string;
  readonly height: number;
}

const DECODE = { P: decodePBlock, X: decodeXBlock } as const;

/**
 * The end of the chain after these blocks. Throws `BadUpstreamData` where one has another id than the node says, another
 * height than its place, or another parent than the block before it.
 */
export async function followLinks(chain: JournalChain, link: Link, blocks: readonly Given[]): Promise<Link> {
  let end = link;
  await mapInTurns(blocks, async ({ bytes, id }) => {
    const { proposer, block } = decodeContainer(bytes);
    end = nextLink(`the ${chain}-Chain`, end, DECODE[chain](block), proposer, id);
  });
  return end;
}

/** The end of a chain after a block, which the node calls `givenId` if it says so. Throws as `followLinks`. */
export function nextLink(
  chain: string,
  link: Link,
  block: Placed,
  proposer: ProposerBlock | null,
  givenId: string | null,
): Link {
  const height = link.height + 1;
  const containerId = proposer?.id ?? block.id;
  const what = `block ${height} of ${chain}`;
  if (givenId !== null && givenId !== containerId)
    throw new BadUpstreamData(`${what} is ${formatId(containerId)}, but the node calls it ${formatId(givenId)}`);
  if (block.height !== height) throw new BadUpstreamData(`the node gives block ${block.height} for ${what}`);
  if (block.parentId !== link.blockId) throw new BadUpstreamData(contradiction(what, block.parentId, link.blockId));
  // After a block that came without its wrapping the parent's id is not known.
  const isParentKnown = link.containerId !== link.blockId || proposer?.parentId === link.blockId;
  if (proposer && isParentKnown && proposer.parentId !== link.containerId)
    throw new BadUpstreamData(contradiction(`the wrapping of ${what}`, proposer.parentId, link.containerId));
  return { height, blockId: block.id, containerId };
}

const contradiction = (what: string, named: string, actual: string): string =>
  `${what} names ${formatId(named)} as its parent, but that is ${formatId(actual)}`;

/** Reads vertices, which must have the ids that the node says. Throws `BadUpstreamData`. */
export async function readVertices(xChainId: string, vertices: readonly Given[]): Promise<Vertex[]> {
  return mapInTurns(vertices, async ({ bytes, id }) => {
    const vertex = decodeVertex(bytes);
    if (id !== null && id !== vertex.id)
      throw new BadUpstreamData(`a vertex is ${formatId(vertex.id)}, but the node calls it ${formatId(id)}`);
    if (vertex.chainId !== xChainId)
      throw new BadUpstreamData(`vertex ${formatId(vertex.id)} is of the chain ${formatId(vertex.chainId)}`);
    return vertex;
  });
}

/** Id of the vertex that ends a DAG above these vertices, which no other names as its parent; of an empty one with none. */
export function stopVertexId(xChainId: string, height: number, parentIds: readonly string[]): string {
  const head = Buffer.alloc(2 + 32 + 8 + 4);
  head.writeUInt16BE(1);
  head.write(xChainId, 2, "hex");
  head.writeBigUInt64BE(BigInt(height), 34);
  head.writeUInt32BE(parentIds.length, 42);
  return sha256(head, ...parentIds.toSorted().map((id) => Buffer.from(id, "hex")));
}
