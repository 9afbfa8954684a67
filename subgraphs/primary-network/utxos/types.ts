import { ArgsType, Directive, Field, Float, ObjectType, registerEnumType } from "type-graphql";
import { Hex, Integer, Quantity, Timestamp } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/network-name.ts";
import { AssetAmount } from "../assets/types.ts";
import { Id } from "../identifiers/scalars.ts";
import type { UtxoRow } from "./store.ts";

export const UtxoType = { STAKE: "STAKE", TRANSFER: "TRANSFER" } as const;
export type UtxoType = keyof typeof UtxoType;

registerEnumType(UtxoType, {
  name: "UtxoType",
  description: "What an output can be used for.",
  valuesConfig: {
    STAKE: { description: "It is or was staked, or is locked but for staking." },
    TRANSFER: { description: "Anything." },
  },
});

export const RewardType = { VALIDATOR: "VALIDATOR", DELEGATOR: "DELEGATOR", VALIDATOR_FEE: "VALIDATOR_FEE" } as const;
export type RewardType = keyof typeof RewardType;

registerEnumType(RewardType, {
  name: "RewardType",
  description: "What a reward is for.",
  valuesConfig: {
    VALIDATOR: { description: "Validating." },
    DELEGATOR: { description: "Delegating." },
    VALIDATOR_FEE: { description: "A validator's share of what its delegators earned." },
  },
});

@ObjectType({
  description: "An output of a chain of a primary network, spent or not.",
  simpleResolvers: true,
})
@Directive('@key(fields: "network utxoId")')
export class PrimaryNetworkUtxo {
  /** What was read of it. */
  row!: UtxoRow;

  @Field(() => NetworkName, { description: "Its network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Id." })
  utxoId!: string;

  @Field(() => Id, {
    description: "The transaction that it is an output of. A reward is one of the transaction that staked.",
  })
  txHash!: string;

  @Field(() => Integer, { description: "Its place among the outputs of that transaction." })
  outputIndex!: string;

  @Field(() => String, { description: "The same as text." })
  outputIndexText!: string;

  @Field(() => [String], {
    description:
      "Owners in Bech32, without a chain before them. Empty while an import is indexed and the export before it is not.",
  })
  addresses!: string[];

  @Field(() => Float, { description: "How many of the owners have to sign." })
  threshold!: number;

  @Field(() => AssetAmount, { description: "Asset and amount." })
  asset!: AssetAmount;

  @Field(() => Id, { description: "The asset." })
  assetId!: string;

  @Field(() => Quantity, { description: "The amount, in the asset's smallest unit; 0 of an output that has none." })
  amount!: string;

  @Field(() => Id, { description: "Chain that it was made on." })
  createdOnChainId!: string;

  @Field(() => Id, { description: "Chain that it can be, or was, consumed on." })
  consumedOnChainId!: string;

  @Field(() => Quantity, {
    description:
      "Block that made it; of a reward the commit or abort. 0 in the genesis, in a vertex, and while that block is not indexed.",
  })
  blockNumber!: string;

  @Field(() => Timestamp, { description: "When it was made; 0 while that is not indexed." })
  blockTimestamp!: string;

  @Field(() => Id, { nullable: true, description: "The transaction that consumed it; null: none did." })
  consumingTxHash!: string | null;

  @Field(() => Quantity, { nullable: true, description: "Block of that transaction; null in a vertex." })
  consumingBlockNumber!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "When it was consumed." })
  consumingBlockTimestamp!: string | null;

  @Field(() => Integer, { description: "Until when it cannot be consumed; 0: no such time." })
  platformLocktime!: string;

  @Field(() => Integer, {
    nullable: true,
    description: "Until when it cannot be consumed but for staking; null: there is no such lock.",
  })
  stakeableLocktime!: string | null;

  @Field(() => UtxoType, { description: "What it can be used for." })
  utxoType!: UtxoType;

  @Field(() => Boolean, { description: "Whether its transaction staked it." })
  staked!: boolean;

  @Field(() => Timestamp, { nullable: true, description: "When that stake began, or is to begin." })
  utxoStartTimestamp!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "When that stake ended, or is to end." })
  utxoEndTimestamp!: string | null;

  @Field(() => RewardType, { nullable: true, description: "What it is a reward for; null: it is none." })
  rewardType!: RewardType | null;

  @Field(() => String, { description: "What can be done with it, in a word: `transfer`, `mint` or `owned`." })
  outputKind!: string;

  @Field(() => Integer, { nullable: true, description: "Group of an NFT, or of the NFTs that can be minted." })
  groupId!: string | null;

  @Field(() => Hex, { nullable: true, description: "What an NFT carries." })
  payload!: string | null;
}

@ArgsType()
export class PrimaryNetworkUtxoArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Id, as CB58 or hex." })
  utxoId!: string;
}
