import { ArgsType, Directive, Field, InputType, ObjectType, registerEnumType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Hex, Integer, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { graphEnum } from "../../shared/schema/graph-enum.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { RestOnly } from "../../shared/schema/rest-only.ts";
import { SortOrder } from "../../shared/schema/sort-order.ts";
import { AssetAmount } from "../assets/types.ts";
import { Id } from "../identifiers/scalars.ts";
import { RewardType } from "./reward-type.ts";
import type { UtxoRow } from "./rows.ts";

const UtxoType = { STAKE: "STAKE", TRANSFER: "TRANSFER" } as const;
type UtxoType = keyof typeof UtxoType;

registerEnumType(UtxoType, {
  name: "UtxoType",
  description: "Whether an output is used for staking.",
  valuesConfig: {
    STAKE: {
      description: "The output is or was staked, or it has a `stakeableLocktime`, even if that time has passed.",
    },
    TRANSFER: { description: "Any other output." },
  },
});

@ObjectType({ description: "A UTXO of a primary network, spent or unspent." })
@Directive('@key(fields: "network utxoId")')
export class PrimaryNetworkUtxo {
  /** The row from which the object was built. */
  row!: UtxoRow;

  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => Id, { description: "UTXO ID." })
  utxoId!: string;

  @Field(() => Id, {
    description:
      "Transaction that created the output. For a reward, the staking transaction; for a reward of an auto-renewed validator, the transaction that paid it.",
  })
  txHash!: string;

  @Field(() => Integer, { description: "Index of the output in its transaction." })
  outputIndex!: string;

  @RestOnly()
  @Field(() => String, { description: "`outputIndex` as a string." })
  outputIndexText!: string;

  @Field(() => [String], {
    description:
      "Bech32 addresses of the owners, without a chain prefix. Empty for an imported output while the export on the other chain is not indexed yet.",
  })
  addresses!: readonly string[];

  @Field(() => Integer, {
    description:
      "Number of owners whose signatures are required. 0 for an imported output while the export on the other chain is not indexed yet.",
  })
  threshold!: number;

  @Field(() => AssetAmount, { description: "Asset and amount." })
  asset!: AssetAmount;

  @Field(() => Id, { description: "Asset ID." })
  assetId!: string;

  @Field(() => Quantity, { description: "Amount in the asset's smallest unit. 0 for outputs without an amount." })
  amount!: string;

  @Field(() => Id, { description: "Blockchain ID of the chain that created it." })
  createdOnChainId!: string;

  @Field(() => Id, { description: "Blockchain ID of the chain that consumed it or can consume it." })
  consumedOnChainId!: string;

  @Field(() => Quantity, {
    description:
      "Height of the block that created it. For a reward, the height of the commit or abort block. 0 for outputs of the genesis or of a vertex, and for an imported output while the export on the other chain is not indexed yet.",
  })
  blockNumber!: string;

  @Field(() => Timestamp, {
    description: "Time of creation. 0 for an imported output while the export on the other chain is not indexed yet.",
  })
  blockTimestamp!: string;

  @Field(() => Id, { nullable: true, description: "Transaction that consumed it. Null if unspent." })
  consumingTxHash!: string | null;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "Height of the block that contains the consuming transaction. Null if unspent or consumed in a vertex.",
  })
  consumingBlockNumber!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Time at which it was consumed. Null if unspent." })
  consumingBlockTimestamp!: string | null;

  @Field(() => Quantity, { description: "Time until which it cannot be consumed, in seconds. 0: not locked." })
  platformLocktime!: string;

  @Field(() => Quantity, {
    nullable: true,
    description: "Time until which it can be consumed only for staking, in seconds. Null: no such lock.",
  })
  stakeableLocktime!: string | null;

  @Field(() => UtxoType, { description: "Whether the output is used for staking." })
  utxoType!: UtxoType;

  @Field(() => Boolean, { description: "True if the transaction that created the output staked it." })
  staked!: boolean;

  @Field(() => Timestamp, { nullable: true, description: "Start time of the stake. Null if not staked." })
  utxoStartTimestamp!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "End time of the stake. Null if not staked." })
  utxoEndTimestamp!: string | null;

  @Field(() => RewardType, { nullable: true, description: "Reason for the reward. Null if it is not a reward." })
  rewardType!: RewardType | null;

  @Field(() => Integer, { nullable: true, description: "NFT group ID. Null for other outputs." })
  groupId!: string | null;

  @Field(() => Hex, { nullable: true, description: "NFT payload. Null for other outputs." })
  payload!: string | null;
}

@ObjectType({ description: "A page of outputs." })
export class PrimaryNetworkUtxoConnection extends Connection(
  PrimaryNetworkUtxo,
  "Outputs, newest first by default. Outputs that were created in the same second are in the order of their IDs.",
) {}

export type UtxoState = "UNSPENT" | "SPENT";

const UtxoState = graphEnum<UtxoState>({
  name: "UtxoState",
  description: "Whether an output was consumed.",
  values: { UNSPENT: "Not consumed.", SPENT: "Consumed." },
});

@InputType({ description: "Filter of outputs of an address. Items fulfil all conditions." })
class PrimaryNetworkUtxoFilter {
  @Field(() => [String], {
    nullable: true,
    description:
      "Chains that can consume the outputs: `p-chain`, `x-chain`, `c-chain`, or blockchain IDs as CB58 or hex. Absent or empty: all three.",
  })
  blockchainIds?: string[] | null;

  @Field(() => UtxoState, { nullable: true, description: "Filter by state. Default: both states." })
  state?: UtxoState | null;
}

@InputType({ description: "Order of outputs: by creation." })
class PrimaryNetworkUtxoOrder {
  @Field(() => SortOrder, { defaultValue: "desc", description: "Direction." })
  direction!: SortOrder;
}

@ArgsType()
export class PrimaryNetworkUtxosArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, {
    description:
      "Owner: a Bech32 address, optionally after `P-`, `X-` or `C-`. Outputs that it shares with others are listed, too.",
  })
  address!: string;

  @Field(() => PrimaryNetworkUtxoFilter, { nullable: true, description: "Which outputs. Absent: all." })
  filter?: PrimaryNetworkUtxoFilter | null;

  @Field(() => PrimaryNetworkUtxoOrder, { nullable: true, description: "Order of the list. Default: newest first." })
  orderBy?: PrimaryNetworkUtxoOrder | null;
}

@ArgsType()
export class PrimaryNetworkUtxoArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "UTXO ID as CB58 or hex." })
  utxoId!: string;
}
