import type { ChainNodeWith } from "../../shared/several-nodes/chain-node.ts";
import type { PrimarySource } from "../fetch/source.ts";
import type { ChainReader } from "./chain-reader.ts";

/** How one node of a network is read for one of its chains. */
export interface ChainClients {
  readonly name: string;
  /** All APIs of the node. */
  readonly node: PrimarySource;
  /** The blocks of the chain. */
  readonly source: ChainReader;
}

/** One node of a network, and what is known of it for one chain. */
export type PrimaryNode = ChainNodeWith<ChainClients>;
