import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { decodePBlock } from "../../../core/formats/codec/blocks/p-blocks.ts";
import { decodeContainer, type ProposerBlock } from "../../../core/formats/codec/blocks/proposer-blocks.ts";
import { decodeXBlock } from "../../../core/formats/codec/blocks/x-blocks.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { goodOrThrow, mapGoodPrefix } from "../../shared/good-prefix.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import { NodeBehind } from "../../shared/node/lagging-node.ts";
import type { LinkedBlock } from "../../shared/several-nodes/contradictions.ts";
import { decodeCBlock } from "../decode/c-blocks.ts";
import type { IndexedContainer } from "../fetch/container-index.ts";
import type { PrimarySource } from "../fetch/source.ts";

/** A block as a node returned it, and its place in the chain. */
export interface ReadBlock<Answer> {
  readonly answer: Answer;
  readonly link: LinkedBlock;
}

/** One chain, read from one node. Numbers and ids of blocks are those in their bytes. */
export interface ChainReader {
  /** Height of the node's last block. Of the C-Chain: of the last one in the node's index. */
  height(): Promise<number>;
  /** The node's block at a height; null if it has none there. */
  blockRef(number: number): Promise<LinkedBlock | null>;
  /** Blocks that are read by height, as `PrimarySource.blocks`. */
  blocks(from: number, to: number): Promise<readonly ReadBlock<Uint8Array>[]>;
  /** Blocks from the node's index, or those before the first that it lacks or damages. Throws if this is the first one. */
  containers(from: number, to: number): Promise<readonly ReadBlock<IndexedContainer>[]>;
}

/** Pause before the next request to a node that has no index of the C-Chain. */
const NO_INDEX_RETRY_MS = 60_000;

export function createChainReader(source: PrimarySource, chain: PrimaryChain): ChainReader {
  const index = source.containers[chain];

  const containers: ChainReader["containers"] = async (from, to) => {
    const found = await index.from(from - 1, to - from + 1);
    if (found.length === 0) throw new NodeBehind(`its index of the ${chain}-Chain has no block ${from}`);
    return checked(found, from, ({ id, bytes }, number) => {
      const { proposer, link } = decodeLink(chain, bytes);
      const containerId = proposer?.id ?? link.hash;
      if (id !== containerId)
        throw new BadUpstreamData(
          `the id of block ${number} of the ${chain}-Chain is ${formatId(containerId)}, but its index lists it as ${formatId(id)}`,
        );
      return link;
    });
  };

  if (chain === "C")
    return {
      async height() {
        const length = await index.length();
        if (length !== null) return length;
        throw new NodeUnavailable("its index of the C-Chain is switched off", NO_INDEX_RETRY_MS);
      },
      async blockRef(number) {
        const [one] = await index.from(Math.max(0, number - 1), 1);
        if (!one) return null;
        const { link } = decodeLink("C", one.bytes);
        // No index contains the genesis block.
        return number === 0 ? { number, hash: link.parentHash, parentHash: "" } : at(number, link);
      },
      async blocks() {
        throw new Error("blocks of the C-Chain are read from the index");
      },
      containers,
    };

  const blocks: ChainReader["blocks"] = async (from, to) =>
    checked(await source.blocks(chain, from, to), from, (bytes) => decodeLink(chain, bytes).link);
  return {
    height: () => source.height(chain),
    async blockRef(number) {
      try {
        return (await blocks(number, number))[0]?.link ?? null;
      } catch (error) {
        if (error instanceof NodeBehind) return null;
        throw error;
      }
    },
    blocks,
    containers,
  };
}

/** The good answers before the first bad one. Throws if this is the first one. */
async function checked<Answer>(
  answers: readonly Answer[],
  from: number,
  linkOf: (answer: Answer, number: number) => LinkedBlock,
): Promise<readonly ReadBlock<Answer>[]> {
  const read = (answer: Answer, i: number) => ({ answer, link: at(from + i, linkOf(answer, from + i)) });
  return goodOrThrow(await mapGoodPrefix(answers, read));
}

function at(number: number, link: LinkedBlock): LinkedBlock {
  if (link.number === number) return link;
  throw new BadUpstreamData(`the node returned block ${link.number} for block ${number}`);
}

function decodeLink(
  chain: PrimaryChain,
  bytes: Uint8Array,
): { readonly proposer: ProposerBlock | null; readonly link: LinkedBlock } {
  const { proposer, block } = decodeContainer(bytes);
  if (chain === "C") {
    const { number, hash, parentHash } = decodeCBlock(block);
    return { proposer, link: { number, hash, parentHash } };
  }
  const { height, id, parentId } = chain === "P" ? decodePBlock(block) : decodeXBlock(block);
  return { proposer, link: { number: height, hash: id, parentHash: parentId } };
}
