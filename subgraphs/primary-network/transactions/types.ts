import { ArgsType, Directive, Field, ObjectType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Address, Hex, Integer, Quantity, Timestamp } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/network-name.ts";
import { AssetAmount, PrimaryNetworkAsset } from "../assets/types.ts";
import { BlsCredentials } from "../credentials/bls-credentials.ts";
import type { Spent } from "../credentials/store.ts";
import { Id, Json, NodeId } from "../identifiers/scalars.ts";
import type { PrimaryChain } from "../networks/chains.ts";
import { PrimaryNetworkChainInfo } from "../networks/types.ts";
import { L1ValidatorManagerDetails, SubnetOwnershipInfo } from "../ownership/subnet-ownership.ts";
import { SortOrder } from "../paging/sort-order.ts";
import { PrimaryNetworkUtxo } from "../utxos/types.ts";
import type { TransactionPageParts } from "./from-row.ts";
import { PrimaryNetworkTxType } from "./tx-types.ts";

@ObjectType({ description: "An L1 validator behind a transaction that concerned it.", simpleResolvers: true })
export class L1ValidatorDetailsTransaction {
  network!: NetworkName;

  @Field(() => Id, { description: "Id of the validation." })
  validationId!: string;

  @Field(() => Hex, { description: "The same as hex." })
  validationIdHex!: string;

  @Field(() => NodeId, { description: "Its node." })
  nodeId!: string;

  @Field(() => Id, { description: "Its subnet." })
  subnetId!: string;

  @Field(() => Integer, { description: "Its weight." })
  weight!: string;

  @Field(() => Integer, { description: "Its balance, in nAVAX; 0 while it is inactive." })
  remainingBalance!: string;

  @Field(() => Integer, {
    nullable: true,
    description: "What the transaction added to its balance, below zero when it gave balance back; null: neither.",
  })
  balanceChange!: string | null;

  @Field(() => BlsCredentials, { description: "Its BLS key." })
  blsCredentials!: BlsCredentials;
}

@ObjectType({ description: "What a CreateChainTx makes.", simpleResolvers: true })
export class BlockchainInfo {
  @Field(() => String, { description: "Name." })
  chainName!: string;

  @Field(() => Id, { description: "Id of its virtual machine." })
  vmId!: string;

  @Field(() => Json, {
    description:
      'Its genesis: of an EVM chain what the contract names of it, of any other `{"encoding": "hex", "data": "0x…"}`.',
  })
  genesisData!: object;
}

@ObjectType({ description: "A vertex that holds a transaction.", simpleResolvers: true })
export class TransactionVertex {
  @Field(() => Id, { description: "Id." })
  hash!: string;

  @Field(() => Integer, { description: "Height." })
  height!: string;

  @Field(() => Timestamp, { description: "When it was accepted." })
  timestamp!: string;
}

@ObjectType({ description: "What an export takes from an account of the C-Chain.", simpleResolvers: true })
export class EvmInput {
  /** What is spent: a place among the `evmInputs` of a transaction. */
  spent!: Spent;

  @Field(() => Address, { description: "The account." })
  fromAddress!: string;

  @Field(() => AssetAmount, { description: "Asset and amount." })
  asset!: AssetAmount;
}

@ObjectType({ description: "What an import gives to an account of the C-Chain.", simpleResolvers: true })
export class EvmOutput {
  @Field(() => Address, { description: "The account." })
  toAddress!: string;

  @Field(() => AssetAmount, { description: "Asset and amount." })
  asset!: AssetAmount;
}

@ObjectType({
  description:
    "A transaction of the P-Chain or the X-Chain, or an atomic one of the C-Chain. What its type does not have is null.",
  simpleResolvers: true,
})
@Directive('@key(fields: "network txHash")')
export class PrimaryNetworkTransaction {
  /** What it was made of. */
  page!: TransactionPageParts;

  chain!: PrimaryChain;

  @Field(() => NetworkName, { description: "Its network." })
  network!: NetworkName;

  @Field(() => String, { description: "Its chain: `p-chain`, `x-chain` or `c-chain`." })
  chainName!: string;

  @Field(() => Id, { description: "Id." })
  txHash!: string;

  @Field(() => PrimaryNetworkTxType, { description: "Type." })
  txType!: PrimaryNetworkTxType;

  @Field(() => Timestamp, { description: "When its block was made, or its vertex was accepted." })
  blockTimestamp!: string;

  @Field(() => Quantity, { nullable: true, description: "Height of its block; null in a vertex." })
  blockNumber!: string | null;

  @Field(() => Integer, { nullable: true, description: "The same as a JSON number." })
  blockHeight!: string | null;

  @Field(() => String, { nullable: true, description: "Id of its block; on C the block's hash. Null in a vertex." })
  blockHash!: string | null;

  @Field(() => [TransactionVertex], {
    nullable: true,
    description: "The vertex that holds it; null in a block.",
  })
  vertices!: TransactionVertex[] | null;

  @Field(() => String, {
    nullable: true,
    description: "On the X-Chain `linear` in a block, `non-linear` in a vertex; null on other chains.",
  })
  chainFormat!: string | null;

  @Field(() => Hex, { description: "Memo; empty where the type has none." })
  memo!: string;

  @Field(() => [PrimaryNetworkUtxo], { description: "Outputs that it consumes, in its order." })
  consumedUtxos!: PrimaryNetworkUtxo[];

  @Field(() => [PrimaryNetworkUtxo], {
    description:
      "Outputs that it makes, by output index. Of a RewardValidatorTx the stake that comes back and the rewards; empty until its block is decided on.",
  })
  emittedUtxos!: PrimaryNetworkUtxo[];

  @Field(() => [PrimaryNetworkUtxo], {
    nullable: true,
    description: "Those that it consumes which another chain exported; null unless it is an ImportTx.",
  })
  importedUtxos!: PrimaryNetworkUtxo[] | null;

  @Field(() => [PrimaryNetworkUtxo], {
    nullable: true,
    description: "Those that it makes for another chain to import; null unless it is an ExportTx.",
  })
  exportedUtxos!: PrimaryNetworkUtxo[] | null;

  @Field(() => [EvmInput], { nullable: true, description: "Accounts that an export of the C-Chain takes from." })
  evmInputs!: EvmInput[] | null;

  @Field(() => [EvmOutput], { nullable: true, description: "Accounts that an import of the C-Chain gives to." })
  evmOutputs!: EvmOutput[] | null;

  @Field(() => Id, { nullable: true, description: "Chain that an ImportTx takes from; of an ExportTx its own." })
  sourceChain!: string | null;

  @Field(() => Id, { nullable: true, description: "Chain that an ExportTx hands over to; of an ImportTx its own." })
  destinationChain!: string | null;

  @Field(() => [AssetAmount], { description: "Sum of all outputs that it makes, accounts of the C-Chain included." })
  value!: AssetAmount[];

  @Field(() => [AssetAmount], {
    description: "What goes in and does not come out: fees, without balances of L1 validators.",
  })
  amountBurned!: AssetAmount[];

  @Field(() => [AssetAmount], { description: "What it stakes." })
  amountStaked!: AssetAmount[];

  @Field(() => [AssetAmount], { description: "What becomes balance of L1 validators." })
  amountL1ValidatorBalanceBurned!: AssetAmount[];

  @Field(() => Timestamp, {
    nullable: true,
    description: "When the stake began, or is to begin; of a RewardValidatorTx the stake that it ends.",
  })
  startTimestamp!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "When the stake ended, or is to end." })
  endTimestamp!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The validator's share of its delegators' rewards in percent, without zeros at its end.",
  })
  delegationFeePercent!: string | null;

  @Field(() => NodeId, { nullable: true, description: "The node that it is about." })
  nodeId!: string | null;

  @Field(() => Id, { nullable: true, description: "The subnet that it is about." })
  subnetId!: string | null;

  @Field(() => L1ValidatorManagerDetails, { nullable: true, description: "What is to manage the L1." })
  l1ValidatorManagerDetails!: L1ValidatorManagerDetails | null;

  @Field(() => [L1ValidatorDetailsTransaction], { nullable: true, description: "The L1 validators that it is about." })
  l1ValidatorDetails!: L1ValidatorDetailsTransaction[] | null;

  @Field(() => Quantity, {
    nullable: true,
    description: "What the stake is to earn, of a delegation without the validator's share; null while it is pending.",
  })
  estimatedReward!: string | null;

  @Field(() => Id, { nullable: true, description: "The transaction that ended the stake." })
  rewardTxHash!: string | null;

  @Field(() => Id, {
    nullable: true,
    description: "The transaction that began the stake that this one ends, or changes.",
  })
  stakingTxHash!: string | null;

  @Field(() => [String], {
    nullable: true,
    description: "Owners of the rewards in Bech32, without a chain before them, each once.",
  })
  rewardAddresses!: string[] | null;

  @Field(() => SubnetOwnershipInfo, { nullable: true, description: "The owner that it gives to a subnet." })
  subnetOwnershipInfo!: SubnetOwnershipInfo | null;

  @Field(() => BlsCredentials, { nullable: true, description: "BLS key of the validator." })
  blsCredentials!: BlsCredentials | null;

  @Field(() => BlockchainInfo, { nullable: true, description: "The blockchain that it makes." })
  blockchainInfo!: BlockchainInfo | null;

  @Field(() => PrimaryNetworkAsset, { nullable: true, description: "The asset that it makes." })
  assetCreated!: PrimaryNetworkAsset | null;
}

@ObjectType({ description: "A page of transactions of one chain.", simpleResolvers: true })
export class PrimaryNetworkTransactionPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [PrimaryNetworkTransaction], {
    description: "In the order of the chain, newest first unless asked otherwise.",
  })
  transactions!: PrimaryNetworkTransaction[];

  @Field(() => [PrimaryNetworkTransaction], {
    nullable: true,
    description: "The same, when the chain is P; else null.",
  })
  pChainTransactions!: PrimaryNetworkTransaction[] | null;

  @Field(() => [PrimaryNetworkTransaction], {
    nullable: true,
    description: "The same, when the chain is X; else null.",
  })
  xChainTransactions!: PrimaryNetworkTransaction[] | null;

  @Field(() => [PrimaryNetworkTransaction], {
    nullable: true,
    description: "The same, when the chain is C; else null.",
  })
  cChainTransactions!: PrimaryNetworkTransaction[] | null;

  @Field(() => PrimaryNetworkChainInfo, { description: "The chain." })
  chainInfo!: PrimaryNetworkChainInfo;
}

@ArgsType()
export class PrimaryNetworkTransactionsArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "`p-chain`, `x-chain`, `c-chain`, or the id of one of them." })
  blockchainId!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "Only transactions that consume or make outputs of one of these addresses, with commas between them; on the C-Chain also EVM addresses.",
  })
  addresses?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Only transactions of the P-Chain about this L1 validation, as CB58 or hex.",
  })
  l1ValidationId?: string | null;

  @Field(() => [PrimaryNetworkTxType], {
    nullable: true,
    description: "Only these types. Needs `addresses` or `l1ValidationId`, as do the timestamps.",
  })
  txTypes?: PrimaryNetworkTxType[] | null;

  @Field(() => Timestamp, { nullable: true, description: "Not before; included." })
  startTimestamp?: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Before; excluded." })
  endTimestamp?: string | null;

  @Field(() => SortOrder, { nullable: true, description: "Order of the chain. Default: newest first." })
  sortOrder?: SortOrder | null;
}

@ArgsType()
export class PrimaryNetworkTransactionArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Id, as CB58 or hex." })
  txHash!: string;
}
