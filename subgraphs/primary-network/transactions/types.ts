import { ArgsType, Directive, Field, InputType, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Hex, Integer, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { RestOnly } from "../../shared/schema/rest-only.ts";
import { SortOrder } from "../../shared/schema/sort-order.ts";
import { AssetAmount, PrimaryNetworkAsset } from "../assets/types.ts";
import { BlsCredentials } from "../credentials/bls-credentials.ts";
import { Id, NodeId } from "../identifiers/scalars.ts";
import { PrimaryNetworkChainInfo } from "../networks/types.ts";
import { L1ValidatorManagerDetails, SubnetOwnershipInfo } from "../ownership/subnet-ownership.ts";
import { PrimaryNetworkUtxo } from "../utxos/types.ts";
import type { TransactionPageParts } from "./page-parts.ts";
import { BlockchainInfo, EvmInput, EvmOutput, L1ValidatorDetailsTransaction, TransactionVertex } from "./part-types.ts";
import { PrimaryNetworkTxType } from "./tx-types.ts";

@ObjectType({
  description:
    "A P-Chain or X-Chain transaction, or an atomic transaction of the C-Chain. A field is null if transactions of this type do not have it.",
})
@Directive('@key(fields: "network txHash")')
export class PrimaryNetworkTransaction {
  /** Data of the page from which the transaction was built. */
  page!: TransactionPageParts;

  chain!: PrimaryChain;

  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Chain: `p-chain`, `x-chain` or `c-chain`." })
  chainName!: string;

  @Field(() => Id, { description: "Transaction ID." })
  txHash!: string;

  @Field(() => PrimaryNetworkTxType, { description: "Transaction type." })
  txType!: PrimaryNetworkTxType;

  @Field(() => Timestamp, {
    description: "Time of the block, or acceptance time of the vertex, that contains the transaction.",
  })
  blockTimestamp!: string;

  @Field(() => Boolean, {
    description:
      "True if `blockTimestamp` is an estimate: the transaction is in a vertex of which the indexed node does not know when it was accepted. The vertex has the earliest and the latest possible time.",
  })
  isBlockTimestampEstimated!: boolean;

  @Field(() => Quantity, { nullable: true, description: "Height of its block. Null for a transaction in a vertex." })
  blockNumber!: string | null;

  @RestOnly()
  @Field(() => Integer, { nullable: true, description: "`blockNumber` as a JSON number." })
  blockHeight!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "ID of its block; on the C-Chain, the block hash. Null for a transaction in a vertex.",
  })
  blockHash!: string | null;

  @Field(() => [TransactionVertex], {
    nullable: true,
    description: "Vertex that contains it. Null for a transaction in a block.",
  })
  vertices!: TransactionVertex[] | null;

  @RestOnly()
  @Field(() => String, {
    nullable: true,
    description: "On the X-Chain, `linear` for a block and `non-linear` for a vertex. Null on other chains.",
  })
  chainFormat!: string | null;

  @Field(() => Hex, { description: "Memo. Empty for types without one." })
  memo!: string;

  @Field(() => [PrimaryNetworkUtxo], { description: "Consumed outputs, in input order." })
  consumedUtxos!: PrimaryNetworkUtxo[];

  @Field(() => [PrimaryNetworkUtxo], {
    description:
      "Created outputs, by output index. For a transaction that rewards a stake, these are the returned stake and the rewards. If it rewards a cycle of an auto-renewed validator that continues, only the rewards that are paid. The list is empty until a commit or abort block decides on the reward.",
  })
  emittedUtxos!: PrimaryNetworkUtxo[];

  @Field(() => [PrimaryNetworkUtxo], {
    nullable: true,
    description: "Consumed outputs that another chain exported. Null unless it is an ImportTx.",
  })
  importedUtxos!: PrimaryNetworkUtxo[] | null;

  @Field(() => [PrimaryNetworkUtxo], {
    nullable: true,
    description: "Created outputs that another chain can import. Null unless it is an ExportTx.",
  })
  exportedUtxos!: PrimaryNetworkUtxo[] | null;

  @Field(() => [EvmInput], { nullable: true, description: "Accounts that a C-Chain export debits." })
  evmInputs!: EvmInput[] | null;

  @Field(() => [EvmOutput], { nullable: true, description: "Accounts that a C-Chain import credits." })
  evmOutputs!: EvmOutput[] | null;

  @Field(() => Id, {
    nullable: true,
    description: "Blockchain ID of the exporting chain. Null unless it is an ImportTx or ExportTx.",
  })
  sourceChain!: string | null;

  @Field(() => Id, {
    nullable: true,
    description: "Blockchain ID of the importing chain. Null unless it is an ImportTx or ExportTx.",
  })
  destinationChain!: string | null;

  @Field(() => [AssetAmount], { description: "Total of created outputs and credited C-Chain accounts, by asset." })
  value!: AssetAmount[];

  @Field(() => [AssetAmount], {
    description: "Amounts burned as fees. Amounts added to balances of L1 validators are not included.",
  })
  amountBurned!: AssetAmount[];

  @Field(() => [AssetAmount], { description: "Amounts staked." })
  amountStaked!: AssetAmount[];

  @Field(() => [AssetAmount], { description: "Amounts added to balances of L1 validators." })
  amountL1ValidatorBalanceBurned!: AssetAmount[];

  @Field(() => Timestamp, {
    nullable: true,
    description:
      "Start time of the stake; for an auto-renewed validator (ACP-236), of its first cycle. For a transaction that rewards a stake, the start time of that stake. If it rewards a cycle of an auto-renewed validator, the start time of that cycle.",
  })
  startTimestamp!: string | null;

  @Field(() => Timestamp, {
    nullable: true,
    description:
      "End time of the stake; for an auto-renewed validator (ACP-236), of its first cycle. For a transaction that rewards a stake, the end time of that stake. If it rewards a cycle of an auto-renewed validator, the end time of that cycle.",
  })
  endTimestamp!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The validator's share of its delegators' rewards in percent, such as `2` or `3.5`.",
  })
  delegationFeePercent!: string | null;

  @Field(() => NodeId, { nullable: true, description: "Node that the transaction concerns." })
  nodeId!: string | null;

  @Field(() => Id, { nullable: true, description: "Subnet that the transaction concerns." })
  subnetId!: string | null;

  @Field(() => L1ValidatorManagerDetails, { nullable: true, description: "Validator manager of the new L1." })
  l1ValidatorManagerDetails!: L1ValidatorManagerDetails | null;

  @Field(() => [L1ValidatorDetailsTransaction], {
    nullable: true,
    description: "L1 validators that the transaction concerns.",
  })
  l1ValidatorDetails!: L1ValidatorDetailsTransaction[] | null;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "Potential reward of the stake; for a delegation, without the validator's share; for an auto-renewed validator (ACP-236), of its first cycle. Null while the stake is pending.",
  })
  estimatedReward!: string | null;

  @Field(() => Id, {
    nullable: true,
    description: "Transaction that ended the stake. Null before the end and for transactions that stake nothing.",
  })
  rewardTxHash!: string | null;

  @Field(() => Id, {
    nullable: true,
    description:
      "Staking transaction of the stake whose reward this transaction decides, or of the auto-renewed validator (ACP-236) whose settings it changes. Null for other transactions, such as a RemoveSubnetValidatorTx.",
  })
  stakingTxHash!: string | null;

  @Field(() => [String], {
    nullable: true,
    description: "Bech32 addresses of the reward owners, without a chain prefix and without duplicates.",
  })
  rewardAddresses!: readonly string[] | null;

  @Field(() => SubnetOwnershipInfo, { nullable: true, description: "Subnet owner that the transaction sets." })
  subnetOwnershipInfo!: SubnetOwnershipInfo | null;

  @Field(() => BlsCredentials, { nullable: true, description: "BLS public key of the validator." })
  blsCredentials!: BlsCredentials | null;

  @Field(() => BlockchainInfo, { nullable: true, description: "Blockchain that the transaction creates." })
  blockchainInfo!: BlockchainInfo | null;

  @Field(() => PrimaryNetworkAsset, { nullable: true, description: "Asset that the transaction creates." })
  assetCreated!: PrimaryNetworkAsset | null;
}

@ObjectType({ description: "A page of transactions of one chain." })
export class PrimaryNetworkTransactionConnection extends Connection(
  PrimaryNetworkTransaction,
  "Transactions in chain order, newest first by default.",
) {
  @RestOnly()
  @Field(() => [PrimaryNetworkTransaction], {
    nullable: true,
    description: "`nodes` if the chain is the P-Chain, else null.",
  })
  pChainTransactions!: PrimaryNetworkTransaction[] | null;

  @RestOnly()
  @Field(() => [PrimaryNetworkTransaction], {
    nullable: true,
    description: "`nodes` if the chain is the X-Chain, else null.",
  })
  xChainTransactions!: PrimaryNetworkTransaction[] | null;

  @RestOnly()
  @Field(() => [PrimaryNetworkTransaction], {
    nullable: true,
    description: "`nodes` if the chain is the C-Chain, else null.",
  })
  cChainTransactions!: PrimaryNetworkTransaction[] | null;

  @Field(() => PrimaryNetworkChainInfo, { description: "The chain." })
  chainInfo!: PrimaryNetworkChainInfo;
}

@ObjectType({ description: "A page of transactions of an address." })
export class AddressTransactionConnection extends Connection(
  PrimaryNetworkTransaction,
  "Transactions in chain order, newest first.",
) {}

@ObjectType({ description: "A page of transactions that concern an L1 validator." })
export class L1ValidatorTransactionConnection extends Connection(
  PrimaryNetworkTransaction,
  "Transactions in chain order, newest first.",
) {}

/** Arguments of a nested list of transactions. */
@ArgsType()
export class TransactionsBelowArgs extends ConnectionArgs({ max: 100, initial: 10 }) {}

@InputType({ description: "Filter of transactions of a chain. Items fulfil all conditions." })
class PrimaryNetworkTransactionFilter {
  @Field(() => [String], {
    nullable: true,
    description:
      "Owners of consumed or created outputs: up to 200 Bech32 addresses, on the C-Chain also EVM addresses.",
  })
  addresses?: string[] | null;

  @Field(() => [PrimaryNetworkTxType], { nullable: true, description: "Filter by type. Absent or empty: every type." })
  types?: PrimaryNetworkTxType[] | null;

  @Field(() => Timestamp, {
    nullable: true,
    description:
      "Filter by block time: this second or later. Without addresses, the time of a transaction in a vertex of the X-Chain is its `blockTimestamp`, which may be an estimate. With addresses, the request fails if an estimate does not suffice.",
  })
  fromTime?: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Filter by block time: before this second. See `fromTime`." })
  toTime?: string | null;
}

@InputType({
  description:
    "Order of transactions: that of the chain. On the X-Chain, a list by type or time without addresses is in the order of `blockTimestamp`; only transactions in vertices can have another order in the chain.",
})
class PrimaryNetworkTransactionOrder {
  @Field(() => SortOrder, { defaultValue: "desc", description: "Direction." })
  direction!: SortOrder;
}

@ArgsType()
export class PrimaryNetworkTransactionsArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "`p-chain`, `x-chain`, `c-chain`, or a blockchain ID as CB58 or hex." })
  blockchainId!: string;

  @RestOnly()
  @Field(() => String, {
    nullable: true,
    description: "L1 validation ID, as CB58 or hex. P-Chain only. See also `L1Validator.transactions`.",
  })
  l1ValidationId?: string | null;

  @Field(() => PrimaryNetworkTransactionFilter, { nullable: true, description: "Which transactions. Absent: all." })
  filter?: PrimaryNetworkTransactionFilter | null;

  @Field(() => PrimaryNetworkTransactionOrder, {
    nullable: true,
    description: "Order of the list. Default: newest first.",
  })
  orderBy?: PrimaryNetworkTransactionOrder | null;
}

@ArgsType()
export class PrimaryNetworkTransactionArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Transaction ID as CB58 or hex." })
  txHash!: string;
}
