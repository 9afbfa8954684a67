import { ArgsType, Directive, Field, Int, ObjectType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Integer, Quantity, Timestamp } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/network-name.ts";
import { Id, NodeId } from "../identifiers/scalars.ts";
import { PrimaryNetworkChainInfo } from "../networks/types.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";
import type { BlockPlace } from "./store.ts";

@ObjectType({ description: "The wrapping in which the nodes agreed on a block.", simpleResolvers: true })
export class ProposerDetails {
  @Field(() => Id, { description: "Id of the wrapping." })
  proposerId!: string;

  @Field(() => Id, { nullable: true, description: "Id of the wrapping of the block before." })
  proposerParentId!: string | null;

  @Field(() => NodeId, {
    nullable: true,
    description:
      "The node that proposed it, of a commit or an abort that which proposed its parent; null when nobody did.",
  })
  proposerNodeId!: string | null;

  @Field(() => Integer, {
    nullable: true,
    description: "Height of the P-Chain whose validators it was proposed to; null of a commit or an abort.",
  })
  proposerPChainHeight!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "When it was proposed; null of a commit or an abort." })
  proposerTimestamp!: string | null;
}

@ObjectType({ description: "A block of a chain of a primary network.", simpleResolvers: true })
@Directive('@key(fields: "network chainName blockNumber")')
@Directive('@key(fields: "network chainName blockHash")')
export class PrimaryNetworkBlock {
  /** Where its transactions are. */
  place!: BlockPlace;

  @Field(() => NetworkName, { description: "Its network." })
  network!: NetworkName;

  @Field(() => String, { description: "Its chain: `p-chain`, `x-chain` or `c-chain`." })
  chainName!: string;

  @Field(() => Quantity, { description: "Height." })
  blockNumber!: string;

  @Field(() => String, { description: "Id; on C the hash, as `0x` and hex digits." })
  blockHash!: string;

  @Field(() => String, { description: "Id or hash of the block before, without its wrapping." })
  parentHash!: string;

  @Field(() => String, { description: "Type, such as `BanffStandardBlock`." })
  blockType!: string;

  @Field(() => Timestamp, { description: "When it was made; before Banff the time of the P-Chain behind it." })
  blockTimestamp!: string;

  @Field(() => Int, { description: "Number of its transactions." })
  txCount!: number;

  @Field(() => [String], { description: "Ids of its transactions in its order; on C hashes of the EVM transactions." })
  txHashes!: string[];

  @Field(() => Int, { description: "Size in bytes, without its wrapping." })
  blockSizeBytes!: number;

  @Field(() => Integer, {
    nullable: true,
    description: "What an L1 validator that was always active has paid up to and with this block, in nAVAX; only on P.",
  })
  l1ValidatorsAccruedFees!: string | null;

  @Field(() => Int, { nullable: true, description: "L1 validators that are active behind it; only on P." })
  activeL1Validators!: number | null;

  @Field(() => Quantity, { nullable: true, description: "Supply behind it, in nAVAX; only on P." })
  currentSupply!: string | null;

  @Field(() => ProposerDetails, {
    nullable: true,
    description: "Null where it has no wrapping, or the node that was indexed does not give it.",
  })
  proposerDetails!: ProposerDetails | null;

  @Field(() => NodeId, {
    nullable: true,
    description: "The node whose block it counts as: of a commit or an abort that which proposed its parent.",
  })
  nodeId!: string | null;
}

@ObjectType({ description: "A page of blocks of one chain.", simpleResolvers: true })
export class PrimaryNetworkBlockPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [PrimaryNetworkBlock], { description: "Blocks, newest first." })
  blocks!: PrimaryNetworkBlock[];

  @Field(() => PrimaryNetworkChainInfo, { description: "The chain." })
  chainInfo!: PrimaryNetworkChainInfo;
}

@ObjectType({ description: "A page of transactions.", simpleResolvers: true })
export class BlockTransactionPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [PrimaryNetworkTransaction], { description: "In the order of the block." })
  transactions!: PrimaryNetworkTransaction[];
}

@ArgsType()
export class BlockTransactionsArgs extends PageArgs({ max: 100, initial: 10 }) {}

@ArgsType()
export class PrimaryNetworkBlocksArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "`p-chain`, `x-chain`, `c-chain`, or the id of one of them." })
  blockchainId!: string;

  @Field(() => String, { nullable: true, description: "Only blocks of this node, as `NodeID-…`." })
  nodeId?: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Not before; included." })
  startTimestamp?: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Before; excluded." })
  endTimestamp?: string | null;
}

@ArgsType()
export class PrimaryNetworkBlockArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "`p-chain`, `x-chain`, `c-chain`, or the id of one of them." })
  blockchainId!: string;

  @Field(() => Quantity, { nullable: true, description: "Height; with both given, both must match." })
  blockNumber?: string | null;

  @Field(() => String, { nullable: true, description: "Id as CB58 or hex; on C the hash." })
  blockHash?: string | null;
}
