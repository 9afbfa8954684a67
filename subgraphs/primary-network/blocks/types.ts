import { ArgsType, Directive, Field, InputType, Int, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { Id, NodeId } from "../identifiers/scalars.ts";
import { PrimaryNetworkChainInfo } from "../networks/types.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";

/** Position of a block. All except `blockHash` are the key of its list of transactions. */
export interface BlockPlace {
  readonly networkId: string;
  readonly chain: PrimaryChain;
  readonly blockTimestamp: string;
  readonly blockNumber: string;
  /** `0x` hex. */
  readonly blockHash: string;
}

@ObjectType({ description: "Proposer of a block, from its ProposerVM wrapper." })
export class ProposerDetails {
  network!: NetworkName;

  @Field(() => Id, { description: "ID of the block's ProposerVM wrapper." })
  proposerId!: string;

  @Field(() => Id, {
    nullable: true,
    description:
      "ID of the parent block's ProposerVM wrapper. If the parent block has no wrapper, the ID of the parent block itself.",
  })
  proposerParentId!: string | null;

  @Field(() => NodeId, {
    nullable: true,
    description:
      "Node that proposed the block. For a commit or abort block, the node that proposed the parent block. Null for any other block without a signature.",
  })
  proposerNodeId!: string | null;

  @Field(() => Quantity, {
    nullable: true,
    description: "P-Chain height at which the proposers were selected. Null for a commit or abort block.",
  })
  proposerPChainHeight!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Time of the proposal. Null for a commit or abort block." })
  proposerTimestamp!: string | null;
}

@ObjectType({ description: "A block of a chain of a primary network." })
@Directive('@key(fields: "network chainName blockNumber")')
@Directive('@key(fields: "network chainName blockHash")')
export class PrimaryNetworkBlock {
  place!: BlockPlace;

  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Chain: `p-chain`, `x-chain` or `c-chain`." })
  chainName!: string;

  @Field(() => Quantity, { description: "Block height." })
  blockNumber!: string;

  @Field(() => String, { description: "Block ID; on the C-Chain, the block hash as `0x` hex." })
  blockHash!: string;

  @Field(() => String, {
    description:
      "ID of the parent block; on the C-Chain, its hash. This is not the ID of the parent's ProposerVM wrapper.",
  })
  parentHash!: string;

  @Field(() => String, { description: "Block type, such as `BanffStandardBlock`." })
  blockType!: string;

  @Field(() => Timestamp, {
    description: "Block time. For a P-Chain block before Banff, the P-Chain time after the block.",
  })
  blockTimestamp!: string;

  @Field(() => Int, { description: "Number of transactions; on the C-Chain, of EVM transactions." })
  txCount!: number;

  @Field(() => [String], {
    description: "Transaction IDs in block order; on the C-Chain, hashes of the EVM transactions.",
  })
  txHashes!: string[];

  @Field(() => Int, { description: "Size of the block in bytes, without its ProposerVM wrapper." })
  blockSizeBytes!: number;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "Total fee, in nAVAX, that one L1 validator would have paid until the time of the block if it had been active since the Etna upgrade. Null on chains other than the P-Chain.",
  })
  l1ValidatorsAccruedFees!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Number of active L1 validators after the block. Null on chains other than the P-Chain.",
  })
  activeL1Validators!: number | null;

  @Field(() => Quantity, {
    nullable: true,
    description: "AVAX supply after the block, in nAVAX. Null on chains other than the P-Chain.",
  })
  currentSupply!: string | null;

  @Field(() => ProposerDetails, {
    nullable: true,
    description:
      "Proposer of the block. Null if the block has no ProposerVM wrapper, or if the node from which this network is indexed does not provide the wrapper.",
  })
  proposerDetails!: ProposerDetails | null;

  @Field(() => NodeId, {
    nullable: true,
    description: "The same as `proposerDetails.proposerNodeId`. Null if `proposerDetails` is null.",
  })
  nodeId!: string | null;
}

@ObjectType({ description: "A page of blocks of one chain." })
export class PrimaryNetworkBlockConnection extends Connection(PrimaryNetworkBlock, "Blocks, newest first.") {
  @Field(() => PrimaryNetworkChainInfo, { description: "The chain." })
  chainInfo!: PrimaryNetworkChainInfo;
}

@ObjectType({ description: "A page of transactions." })
export class BlockTransactionConnection extends Connection(PrimaryNetworkTransaction, "Transactions in block order.") {}

@ArgsType()
export class BlockTransactionsArgs extends ConnectionArgs({ max: 100, initial: 10 }) {}

@InputType({ description: "Filter of blocks of a chain. Items fulfil all conditions." })
class PrimaryNetworkBlockFilter {
  @Field(() => String, { nullable: true, description: "Filter by proposer, as `NodeID-…`." })
  nodeId?: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Filter by block time: this second or later." })
  fromTime?: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Filter by block time: before this second." })
  toTime?: string | null;
}

@ArgsType()
export class PrimaryNetworkBlocksArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "`p-chain`, `x-chain`, `c-chain`, or a blockchain ID as CB58 or hex." })
  blockchainId!: string;

  @Field(() => PrimaryNetworkBlockFilter, { nullable: true, description: "Which blocks. Absent: all." })
  filter?: PrimaryNetworkBlockFilter | null;
}

@ArgsType()
export class PrimaryNetworkBlockArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "`p-chain`, `x-chain`, `c-chain`, or a blockchain ID as CB58 or hex." })
  blockchainId!: string;

  @Field(() => Quantity, { nullable: true, description: "Block height. If `blockHash` is given too, both must match." })
  blockNumber?: string | null;

  @Field(() => String, { nullable: true, description: "Block ID as CB58 or hex; on the C-Chain, the block hash." })
  blockHash?: string | null;
}

@ArgsType()
export class PrimaryNetworkBlockAddedArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Chain: `p-chain` or `x-chain`, or its blockchain id." })
  blockchainId!: string;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "First block to send: one of the last 1,000 blocks, or the next one. Default: the next one. Any other number fails with `INVALID_PARAMETER`.",
  })
  fromBlock?: string | null;
}
