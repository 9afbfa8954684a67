import { type BlockRef, type EvmSource } from "../../../indexer/evm/fetch/source.ts";
import type { RawBlock } from "../../../indexer/evm/wire/blocks.ts";
import { NodeUnavailable } from "../../../indexer/shared/node/errors.ts";
import { BlockUnavailable } from "../../../indexer/shared/node/lagging-node.ts";

/** A request of the indexer to its node. */
export interface Asked {
  readonly what: "chainId" | "head" | "blockRef" | "blocks";
  readonly from?: number;
  readonly to?: number;
}

/** A node whose chain a test can replace between two answers. */
export interface SyntheticSource extends EvmSource {
  chain: readonly RawBlock[];
  readonly asked: Asked[];
  /** Called before each answer; it can replace the chain or throw the node's error. */
  onAsk(asked: Asked): void;
}

export function createSyntheticSource(chainId: number, chain: readonly RawBlock[]): SyntheticSource {
  const note = (asked: Asked) => {
    source.asked.push(asked);
    source.onAsk(asked);
  };
  const source: SyntheticSource = {
    chain,
    asked: [],
    onAsk: () => {},
    tracing: { isOn: false, reason: "a made chain has no traces" },
    identify: async () => {},
    tracedBlock: () => Promise.reject(new NodeUnavailable("a made chain has no traces")),
    async chainId() {
      note({ what: "chainId" });
      return chainId;
    },
    async head() {
      note({ what: "head" });
      return refOf(source.chain.at(-1) as RawBlock);
    },
    async blockRef(number) {
      note({ what: "blockRef", from: number, to: number });
      const raw = source.chain[number];
      return raw ? refOf(raw) : null;
    },
    async blocks(from, to) {
      note({ what: "blocks", from, to });
      const blocks = source.chain.slice(from, to + 1);
      if (blocks.length < to - from + 1) throw new BlockUnavailable(`the node has no block ${from + blocks.length}`);
      return blocks;
    },
  };
  return source;
}

function refOf({ block: { number, hash, parentHash, settledHeight } }: RawBlock): BlockRef {
  return {
    number: Number(number),
    hash: hash.slice(2),
    parentHash: parentHash.slice(2),
    settledHeight: settledHeight === undefined ? null : Number(settledHeight),
  };
}
