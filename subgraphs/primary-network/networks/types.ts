import { ArgsType, Field, Float, ObjectType } from "type-graphql";
import { Quantity, Timestamp } from "../../../core/scalars.ts";
import type { PrimaryHead, PrimaryProgress } from "../../../prisma/client/client.ts";
import { IndexingState } from "../../shared/indexing-state.ts";
import { NetworkName } from "../../shared/network-name.ts";
import type { TextRow } from "../../shared/rows.ts";
import { ALIASES, type PrimaryChain } from "./chains.ts";
import type { ServedNetwork } from "./store.ts";

@ObjectType({ description: "The chain that an answer is about.", simpleResolvers: true })
export class PrimaryNetworkChainInfo {
  @Field(() => String, { description: "`p-chain`, `x-chain` or `c-chain`." })
  chainName!: string;

  @Field(() => NetworkName, { description: "Its network." })
  network!: NetworkName;
}

/** What an answer says of its chain. */
export function chainInfo({ network }: ServedNetwork, chain: PrimaryChain): PrimaryNetworkChainInfo {
  return { chainName: ALIASES[chain], network };
}

type ProgressRow = Pick<TextRow<PrimaryProgress>, "reason" | "nodeBlockNumber" | "fetchedBlockNumber">;
type HeadRow = Pick<TextRow<PrimaryHead>, "blockNumber" | "blockTimestamp" | "txCount">;

@ObjectType({ description: "How far the indexer is with a chain of a primary network.", simpleResolvers: true })
export class PrimaryChainIndexing implements ProgressRow, HeadRow {
  @Field(() => String, { description: "`p-chain`, `x-chain` or `c-chain`." })
  chainName!: string;

  @Field(() => String, { description: "Id of the chain, in CB58." })
  blockchainId!: string;

  @Field(() => IndexingState, { nullable: true, description: "What the indexer does; null before it began." })
  state!: IndexingState | null;

  @Field(() => String, { nullable: true, description: "Why it waits or stopped; null while it moves." })
  reason!: string | null;

  @Field(() => Quantity, { nullable: true, description: "Head of the node when it was last asked." })
  nodeBlockNumber!: string | null;

  @Field(() => Quantity, { nullable: true, description: "Last block in the raw store." })
  fetchedBlockNumber!: string | null;

  @Field(() => String, { description: "Last block that is served; -1 before the first." })
  blockNumber!: string;

  @Field(() => Timestamp, { description: "When that block was made." })
  blockTimestamp!: string;

  @Field(() => Quantity, { description: "Transactions so far." })
  txCount!: string;

  @Field(() => Float, { nullable: true, description: "Blocks indexed a second, of late." })
  blocksPerSecond!: number | null;
}

@ObjectType({ description: "A primary network that is served.", simpleResolvers: true })
export class PrimaryNetwork {
  @Field(() => NetworkName, { description: "Its name here." })
  network!: NetworkName;

  @Field(() => Float, { description: "Network id." })
  networkId!: number;

  @Field(() => String, { description: "Prefix of its addresses, without the chain." })
  addressPrefix!: string;

  @Field(() => Timestamp, { description: "When it began." })
  genesisTimestamp!: string;

  @Field(() => String, { description: "Id of AVAX, in CB58." })
  avaxAssetId!: string;
}

@ArgsType()
export class PrimaryNetworkArgs {
  @Field(() => NetworkName, { nullable: true, description: "Only this network." })
  network?: NetworkName | null;
}
