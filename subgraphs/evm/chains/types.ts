import { ArgsType, Directive, Field, Float, Int, ObjectType, registerEnumType } from "type-graphql";
import { Address, Quantity, Timestamp } from "../../../core/scalars.ts";
import type { ChainHead, ChainProgress } from "../../../prisma/client/client.ts";
import { IndexingState } from "../../shared/indexing-state.ts";
import { NetworkName } from "../../shared/network-name.ts";
import type { TextRow } from "../../shared/rows.ts";

export const ApiFeature = { nftIndexing: "nftIndexing", webhooks: "webhooks", teleporter: "teleporter" } as const;
export type ApiFeature = keyof typeof ApiFeature;

registerEnumType(ApiFeature, {
  name: "ApiFeature",
  description: "A feature that a chain may have.",
  valuesConfig: {
    nftIndexing: { description: "Its NFTs are indexed." },
    webhooks: { description: "Its events can be sent to a URL." },
    teleporter: { description: "It sends and receives interchain messages." },
  },
});

export const ChainStatus = { OK: "OK", UNAVAILABLE: "UNAVAILABLE" } as const;
export type ChainStatus = keyof typeof ChainStatus;

registerEnumType(ChainStatus, {
  name: "ChainStatus",
  description: "Whether a chain is kept up to date.",
  valuesConfig: {
    OK: { description: "It is." },
    UNAVAILABLE: { description: "Its node cannot be used now: what was indexed is served, nothing new comes." },
  },
});

@ObjectType({ description: "A token, as it is described to people.", simpleResolvers: true })
export class NetworkToken {
  @Field(() => String, { description: "Name." })
  name!: string;

  @Field(() => String, { description: "Symbol." })
  symbol!: string;

  @Field(() => Int, { description: "Decimals." })
  decimals!: number;

  @Field(() => String, { nullable: true, description: "Logo." })
  logoUri?: string | null;

  @Field(() => String, { nullable: true, description: "Description." })
  description?: string | null;
}

@ObjectType({ description: "Contracts that are of use on a chain.", simpleResolvers: true })
export class UtilityAddresses {
  @Field(() => Address, { nullable: true, description: "A multicall contract." })
  multicall?: string | null;
}

type IndexingRow = Pick<TextRow<ChainProgress>, "reason" | "nodeBlockNumber" | "fetchedBlockNumber" | "updatedAt">;

@ObjectType({ description: "How far the indexer is with a chain.", simpleResolvers: true })
export class ChainIndexing implements IndexingRow {
  chainId!: string;

  @Field(() => IndexingState, { description: "What the indexer does." })
  state!: IndexingState;

  @Field(() => String, {
    nullable: true,
    description: "Why it waits or stopped, or makes again what was indexed; null while it moves.",
  })
  reason!: string | null;

  @Field(() => Quantity, { nullable: true, description: "Head of the node when it was last asked." })
  nodeBlockNumber!: string | null;

  @Field(() => Quantity, { nullable: true, description: "Last block in the raw store." })
  fetchedBlockNumber!: string | null;

  @Field(() => Quantity, { nullable: true, description: "Last block that is served; null before the first." })
  blockNumber!: TextRow<ChainHead>["blockNumber"] | null;

  @Field(() => Float, { description: "Blocks indexed a second, of late." })
  blocksPerSecond!: number;

  @Field(() => Int, { nullable: true, description: "Seconds until the node's head is reached; null when unknown." })
  secondsLeft!: number | null;

  @Field(() => Timestamp, { description: "When this was written." })
  updatedAt!: string;
}

@ObjectType({ description: "An EVM chain that is served.", simpleResolvers: true })
@Directive('@key(fields: "chainId")')
export class Chain {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => ChainStatus, { description: "Whether the chain is kept up to date." })
  status!: ChainStatus;

  @Field(() => String, { description: "Name." })
  chainName!: string;

  @Field(() => String, { description: "Description." })
  description!: string;

  @Field(() => String, { nullable: true, description: "Blockchain id, in CB58." })
  platformChainId?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the subnet that validates the chain, in CB58." })
  subnetId?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the chain's virtual machine, in CB58." })
  vmId?: string | null;

  @Field(() => String, { description: "Kind of virtual machine: `EVM`." })
  vmName!: string;

  @Field(() => String, { nullable: true, description: "Explorer." })
  explorerUrl?: string | null;

  @Field(() => String, { description: "Public JSON-RPC URL; empty when there is none." })
  rpcUrl!: string;

  @Field(() => String, { nullable: true, description: "Public WebSocket URL." })
  wsUrl?: string | null;

  @Field(() => Boolean, { description: "Whether the chain belongs to the test network." })
  isTestnet!: boolean;

  @Field(() => UtilityAddresses, { nullable: true, description: "Contracts that are of use on the chain." })
  utilityAddresses?: UtilityAddresses | null;

  @Field(() => NetworkToken, { description: "The token that gas is paid in." })
  networkToken!: NetworkToken;

  @Field(() => String, { nullable: true, description: "Logo." })
  chainLogoUri?: string | null;

  @Field(() => Boolean, { description: "Whether the chain is a private one." })
  private!: boolean;

  @Field(() => [ApiFeature], { description: "Features that the chain has." })
  enabledFeatures!: readonly ApiFeature[];

  @Field(() => ChainIndexing, { nullable: true, description: "How far the indexer is; null before it began." })
  indexing?: ChainIndexing | null;
}

@ObjectType({ description: "The chains that are served.", simpleResolvers: true })
export class ChainList {
  @Field(() => [Chain], { description: "Main network first, then test network, each by ascending EVM chain id." })
  chains!: Chain[];
}

@ArgsType()
export class ChainsArgs {
  @Field(() => NetworkName, { nullable: true, description: "Only chains of this network." })
  network?: NetworkName | null;

  @Field(() => ApiFeature, { nullable: true, description: "Only chains that have this feature." })
  feature?: ApiFeature | null;
}
