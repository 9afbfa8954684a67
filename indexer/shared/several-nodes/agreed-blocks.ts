import { handledLater } from "../handled-later.ts";
import type { ChainNode, NodeError } from "./chain-node.ts";
import {
  type Contradictions,
  type IndexedChain,
  type LinkedBlock,
  NodesContradict,
  type Sight,
} from "./contradictions.ts";
import type { FetchedBlocks, OwnedBlock } from "./fetch-pieces.ts";

export interface AgreedBlocksDeps<Node extends ChainNode, Raw> {
  readonly contradictions: Contradictions<Node>;
  readonly indexed: IndexedChain;
  readonly linkOf: (raw: Raw) => LinkedBlock;
  /** Fills the missing slots of the range that begins with `from`. */
  readonly fetch: (from: number, slots: (OwnedBlock<Node, Raw> | undefined)[]) => Promise<FetchedBlocks<Node, Raw>>;
  readonly noAnswer: (tried: ReadonlyMap<Node, NodeError>, number: number) => NodeError;
}

/** Blocks on which the nodes agree. */
export interface AgreedBlocks<Raw> {
  /**
   * Blocks `from` to `to`, or those before the first that is missing or contradicted. Throws if this is the first one. If the first one
   * does not follow the block before it on any node, the blocks are returned: then the nodes reorganised.
   */
  blocks(from: number, to: number): Promise<readonly Raw[]>;
}

export function createAgreedBlocks<Node extends ChainNode, Raw>(deps: AgreedBlocksDeps<Node, Raw>): AgreedBlocks<Raw> {
  const { contradictions, indexed, linkOf, fetch, noAnswer } = deps;
  /** The last block that was returned. */
  let last: LinkedBlock | null = null;

  /** Hash of the block before the range; null if it is not known. */
  const hashBefore = async (from: number) => (last?.number === from - 1 ? last.hash : indexed.hash(from - 1));

  /** The blocks that follow one another and that the other nodes have, too. Null if a node was found to be wrong. */
  async function agreed(
    from: number,
    blocks: readonly OwnedBlock<Node, Raw>[],
    seen: readonly Sight<Node>[],
  ): Promise<readonly OwnedBlock<Node, Raw>[] | null> {
    let parent = await hashBefore(from);
    for (const [i, { raw }] of blocks.entries()) {
      const number = from + i;
      const link = linkOf(raw);
      if (parent !== null && link.parentHash !== parent) {
        if ((number > 0 && (await contradictions.compare(number - 1))) || (await contradictions.compare(number)))
          return null;
        return i === 0 ? blocks : blocks.slice(0, i);
      }
      parent = link.hash;
    }
    const end = blocks.at(-1);
    if (!end) return blocks;
    const ref = linkOf(end.raw);
    const own = { node: end.node, ref };
    const others = seen.filter((one) => one.ref.number === ref.number && one.node !== end.node);
    return (await contradictions.compare(ref.number, [own, ...others])) ? null : blocks;
  }

  return {
    async blocks(from, to) {
      let slots: (OwnedBlock<Node, Raw> | undefined)[] = Array.from({ length: to - from + 1 });
      // The other nodes are asked for the last block at the same time, so that the comparison takes no time of its own.
      const looking = handledLater(contradictions.look(to));
      for (;;) {
        const fetched = await fetch(from, slots);
        const missing = fetched.slots.indexOf(undefined);
        const present = fetched.slots.slice(0, missing < 0 ? slots.length : missing) as OwnedBlock<Node, Raw>[];
        if (present.length === 0) throw noAnswer(fetched.tried, from);
        const result = await agreed(from, present, await looking).catch((error: unknown) => {
          if (!(error instanceof NodesContradict) || error.number <= from) throw error;
          return present.slice(0, error.number - from);
        });
        if (result) {
          const raws = result.map(({ raw }) => raw);
          const end = raws.at(-1);
          if (end) last = linkOf(end);
          return raws;
        }
        slots = fetched.slots.map((slot) => (slot?.node.isUsable ? slot : undefined));
      }
    },
  };
}
