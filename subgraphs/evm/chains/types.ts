import { ArgsType, Directive, Field, Float, Int, ObjectType, registerEnumType } from "type-graphql";
import { Address, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import type { ChainHead, ChainProgress } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { ChainNode } from "../../shared/schema/chain-node.ts";
import { graphEnum } from "../../shared/schema/graph-enum.ts";
import { IndexingState } from "../../shared/schema/indexing-state.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { RestOnly } from "../../shared/schema/rest-only.ts";
import { Verification } from "../../shared/schema/verification.ts";

const ApiFeature = graphEnum({
  name: "ApiFeature",
  description: "A feature that the configuration enables for a chain.",
  values: {
    nftIndexing: "NFT metadata of the chain is read.",
    webhooks:
      "No effect in Moraine, which sends no webhooks. `chains(feature: WEBHOOKS)` finds the chains whose configuration names this feature.",
    teleporter:
      "No effect on indexing: the setting `teleporterMessengers` selects the contracts whose Teleporter events are indexed. `chains(feature: TELEPORTER)` finds the chains whose configuration names this feature.",
  },
});
type ApiFeature = (typeof ApiFeature)[string];

const ChainStatus = { OK: "OK", UNAVAILABLE: "UNAVAILABLE" } as const;
type ChainStatus = keyof typeof ChainStatus;

registerEnumType(ChainStatus, {
  name: "ChainStatus",
  description: "Whether the indexer of a chain waits or has stopped.",
  valuesConfig: {
    OK: {
      description: "The indexer neither waits nor has stopped. It may not have started yet; see `Chain.indexing`.",
    },
    UNAVAILABLE: { description: "The indexer waits or has stopped. Data that is already indexed is still served." },
  },
});

@ObjectType({ description: "A native token." })
export class NetworkToken {
  @Field(() => String, { description: "Name." })
  name!: string;

  @Field(() => String, { description: "Symbol." })
  symbol!: string;

  @Field(() => Int, { description: "Decimals." })
  decimals!: number;

  @Field(() => String, { nullable: true, description: "URI of the logo." })
  logoUri?: string | null;

  @Field(() => String, { nullable: true, description: "Description." })
  description?: string | null;
}

@ObjectType({ description: "Addresses of utility contracts on a chain." })
export class UtilityAddresses {
  chainId!: string;

  @Field(() => Address, { nullable: true, description: "Multicall contract." })
  multicall?: string | null;
}

type IndexingRow = Pick<TextRow<ChainProgress>, "reason" | "nodeBlockNumber" | "fetchedBlockNumber" | "updatedAt">;

@ObjectType({ description: "Progress of a chain's indexer." })
export class ChainIndexing implements IndexingRow {
  chainId!: string;

  @Field(() => IndexingState, { description: "State of the indexer." })
  state!: IndexingState;

  @Field(() => String, {
    nullable: true,
    description: "Why the indexer waits, has stopped or rebuilds the rows from stored blocks; null otherwise.",
  })
  reason!: string | null;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "Number of the node's latest block at the time of the indexer's last request; null if the node has not answered yet.",
  })
  nodeBlockNumber!: string | null;

  @Field(() => Quantity, { nullable: true, description: "Last stored block; null if there is none." })
  fetchedBlockNumber!: string | null;

  @Field(() => Quantity, { nullable: true, description: "Last indexed block; null if no block is indexed yet." })
  blockNumber!: TextRow<ChainHead>["blockNumber"] | null;

  @Field(() => Float, { description: "Recent indexing rate, in blocks per second." })
  blocksPerSecond!: number;

  @Field(() => Int, {
    nullable: true,
    description: "Estimated seconds until the indexer reaches the node's latest block; null if unknown.",
  })
  secondsLeft!: number | null;

  @Field(() => [ChainNode], {
    description: "The nodes of the chain, in the order of the settings; empty before the indexer's first start.",
  })
  nodes!: readonly ChainNode[];

  @Field(() => Timestamp, { description: "When the indexer last updated these values." })
  updatedAt!: string;
}

@ObjectType({
  description:
    "An EVM chain in the configuration. Optional values that the configuration does not have are null; `description` and `rpcUrl` are empty.",
})
@Directive('@key(fields: "chainId")')
export class Chain {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => ChainStatus, { description: "Whether the indexer of the chain waits or has stopped." })
  status!: ChainStatus;

  @Field(() => String, { description: "Name." })
  chainName!: string;

  @Field(() => String, { description: "Description." })
  description!: string;

  @Field(() => String, { nullable: true, description: "Blockchain id in CB58." })
  platformChainId?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the subnet that validates the chain, in CB58." })
  subnetId?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the virtual machine, in CB58." })
  vmId?: string | null;

  @Field(() => Boolean, {
    description:
      "True if `isTestnet`, `platformChainId`, `subnetId` and `vmId` come from the index of a P-Chain. False if they are those of the configuration, which no indexed P-Chain could verify. While the index refutes the configuration, the ids are null.",
  })
  areIdsVerified!: boolean;

  @RestOnly()
  @Field(() => String, { description: "Type of the virtual machine: always `EVM`." })
  vmName!: string;

  @Field(() => String, { nullable: true, description: "URL of a block explorer." })
  explorerUrl?: string | null;

  @Field(() => String, { description: "Public JSON-RPC URL; empty if there is none." })
  rpcUrl!: string;

  @Field(() => String, { nullable: true, description: "Public WebSocket URL." })
  wsUrl?: string | null;

  @Field(() => Boolean, { description: "True if the chain belongs to the Fuji test network." })
  isTestnet!: boolean;

  @Field(() => UtilityAddresses, { nullable: true, description: "Addresses of utility contracts." })
  utilityAddresses?: UtilityAddresses | null;

  @Field(() => NetworkToken, { description: "Native token, in which gas is paid." })
  networkToken!: NetworkToken;

  @Field(() => String, { nullable: true, description: "URI of the logo." })
  chainLogoUri?: string | null;

  @Field(() => Boolean, { description: "True if the configuration marks the chain as private." })
  private!: boolean;

  @Field(() => [ApiFeature], { description: "Features that the configuration enables." })
  enabledFeatures!: readonly ApiFeature[];

  @Field(() => ChainIndexing, { nullable: true, description: "Progress of the indexer; null before its first start." })
  indexing?: ChainIndexing | null;

  @Field(() => Verification, {
    nullable: true,
    description: "The last comparison of indexed data with the stored blocks and the node; null before the first one.",
  })
  verification?: Verification | null;
}

@ObjectType({ description: "A list of chains." })
export class ChainList {
  @Field(() => [Chain], { description: "Chains of Mainnet, then of Fuji, each by ascending EVM chain id." })
  chains!: Chain[];
}

@ArgsType()
export class ChainsArgs {
  @Field(() => NetworkName, { nullable: true, description: "Filter by network." })
  network?: NetworkName | null;

  @Field(() => ApiFeature, { nullable: true, description: "Filter by enabled feature." })
  feature?: ApiFeature | null;
}
