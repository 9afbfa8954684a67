import { ArgsType, Field, Float, ObjectType } from "type-graphql";
import { Integer, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { PRIMARY_CHAIN_ALIASES, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { PrimaryProgress } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { ChainNode } from "../../shared/schema/chain-node.ts";
import { IndexingState } from "../../shared/schema/indexing-state.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { Verification } from "../../shared/schema/verification.ts";
import type { ServedNetwork } from "./served-network.ts";

@ObjectType({ description: "Chain to which a response belongs." })
export class PrimaryNetworkChainInfo {
  @Field(() => String, { description: "`p-chain`, `x-chain` or `c-chain`." })
  chainName!: string;

  @Field(() => NetworkName, { description: "Network of the chain." })
  network!: NetworkName;
}

/** The `chainInfo` of a response. */
export function chainInfo({ network }: ServedNetwork, chain: PrimaryChain): PrimaryNetworkChainInfo {
  return { chainName: PRIMARY_CHAIN_ALIASES[chain], network };
}

type ProgressRow = Pick<TextRow<PrimaryProgress>, "reason" | "nodeBlockNumber" | "fetchedBlockNumber">;

@ObjectType({ description: "Indexing progress of one chain of a primary network." })
export class PrimaryChainIndexing implements ProgressRow {
  /** Key of the chain. */
  key!: { readonly network: NetworkName; readonly networkId: string; readonly chain: PrimaryChain };

  @Field(() => String, { description: "`p-chain`, `x-chain` or `c-chain`." })
  chainName!: string;

  @Field(() => String, {
    nullable: true,
    description: "Blockchain ID in CB58. Null until the genesis of the network is indexed.",
  })
  blockchainId!: string | null;

  @Field(() => Boolean, {
    description:
      "True once a block or vertex is indexed. Until then, requests that need the chain fail with `UNAVAILABLE`.",
  })
  isIndexed!: boolean;

  @Field(() => IndexingState, { nullable: true, description: "State of the indexer. Null before it has started." })
  state!: IndexingState | null;

  @Field(() => String, {
    nullable: true,
    description: "Why the indexer waits, has stopped or rebuilds rows; null otherwise.",
  })
  reason!: string | null;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "Height of the node's last accepted block at the time of the indexer's last request. Null if the node has not answered yet.",
  })
  nodeBlockNumber!: string | null;

  @Field(() => Quantity, {
    nullable: true,
    description: "Height of the last stored block. Null if there is none.",
  })
  fetchedBlockNumber!: string | null;

  @Field(() => String, { description: "Height of the last indexed block. -1 before the first block." })
  blockNumber!: string;

  @Field(() => Timestamp, {
    nullable: true,
    description: "Time of the last indexed block or vertex, or of the genesis. Null before the genesis is indexed.",
  })
  blockTimestamp!: string | null;

  @Field(() => Timestamp, {
    nullable: true,
    description:
      "When the indexer most recently found that it had indexed the node's latest accepted block. Null if it has not found this yet.",
  })
  headSeenTimestamp!: string | null;

  @Field(() => Quantity, {
    description:
      "Number of indexed transactions. A transaction that several blocks contain counts once for each of them.",
  })
  txCount!: string;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "Number of X-Chain vertices whose times are estimates, because the indexed node does not know when they were accepted. Questions about such a time fail with the reason. 0 for the other chains. Null while the times of the vertices are not determined.",
  })
  estimatedVertexCount!: string | null;

  @Field(() => Float, {
    nullable: true,
    description: "Recent indexing rate, in blocks per second. Null before the indexer has started.",
  })
  blocksPerSecond!: number | null;

  @Field(() => [ChainNode], {
    description:
      "The nodes of the network, as the indexer uses them for this chain, in the order of the settings. Empty before the indexer's first start. For the C-Chain, whose atomic transactions come from its EVM blocks, the nodes from which the proposers of its blocks are read; empty if the network has a single node.",
  })
  nodes!: readonly ChainNode[];

  @Field(() => Verification, {
    nullable: true,
    description:
      "The last comparison of samples of the indexed state with the node, at a time at which both had the same last block. Null before the first one.",
  })
  verification!: Verification | null;
}

@ObjectType({ description: "A primary network that this installation serves." })
export class PrimaryNetwork {
  @Field(() => NetworkName, { description: "Name used in paths and arguments." })
  network!: NetworkName;

  @Field(() => Integer, { description: "Network ID." })
  networkId!: string;

  @Field(() => String, {
    nullable: true,
    description: "Human-readable part of Bech32 addresses, such as `fuji`. Null until the genesis is indexed.",
  })
  addressPrefix!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Genesis time. Null until the genesis is indexed." })
  genesisTimestamp!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Asset ID of AVAX in CB58. Null until the genesis is indexed.",
  })
  avaxAssetId!: string | null;
}

@ArgsType()
export class PrimaryChainsArgs {
  @Field(() => String, { nullable: true, description: "Filter by chain: `p-chain`, `x-chain` or `c-chain`." })
  chainName?: string | null;
}

@ArgsType()
export class PrimaryNetworkArgs {
  @Field(() => NetworkName, { nullable: true, description: "Filter by network." })
  network?: NetworkName | null;
}
