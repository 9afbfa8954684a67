import type { NodeClient } from "../../shared/node/node-client.ts";
import { type ChainNodeWith, createLimit } from "../../shared/several-nodes/chain-node.ts";
import type { EvmSource } from "../fetch/source.ts";

/** The clients of one node: a client for blocks, and one for everything that must not delay the reading of blocks. */
export interface NodeClients {
  readonly name: string;
  readonly blocks: NodeClient;
  readonly contracts: NodeClient;
  /** Reads with the client `blocks`. */
  readonly source: EvmSource;
  /** Reads with the client `contracts`. */
  readonly background: EvmSource;
  /** What is known of its call trees. */
  readonly calls: CallTreesOfNode;
}

/** One node of a chain, and what is known of it. */
export type EvmNode = ChainNodeWith<NodeClients>;

/** Of which blocks a node provides call trees. */
export interface CallTreesOfNode {
  /** True if the node may provide the call trees of the block, as far as known. */
  traces(number: number): boolean;
  /** It will not return the call trees of this block. `head` is the height of its last block; null if unknown. */
  lacks(number: number, head: number | null): void;
  /** It may be another node at the same address. */
  forget(): void;
}

export function createCallTreesOfNode({ tracing }: { readonly tracing: () => EvmSource["tracing"] }): CallTreesOfNode {
  let first = createLimit();
  return {
    traces: (number) => tracing().isOn && number >= first.current,
    lacks: (number, head) => first.raise(number, head),
    forget() {
      first = createLimit();
    },
  };
}
