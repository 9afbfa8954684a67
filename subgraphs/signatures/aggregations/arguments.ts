import { ArgsType, Field } from "type-graphql";
import { Percentage, Quantity } from "../../../core/graph/scalars.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";

/** Which validators have to sign, and how many of them. */
@ArgsType()
export class QuorumArgs {
  @Field(() => String, {
    nullable: true,
    description:
      "Subnet whose validators sign, as CB58 or hex. Default: `SignableMessage.signingSubnetId` of the message. An empty text selects the default.",
  })
  signingSubnetId?: string | null;

  @Field(() => Percentage, {
    nullable: true,
    defaultValue: 67,
    description: "Percentage of the subnet's weight that must sign, from 0 to 100. 0 selects the default, 67.",
  })
  quorumPercentage?: number | null;

  @Field(() => Percentage, {
    nullable: true,
    defaultValue: 0,
    description:
      "Percentage of weight to collect in addition to the quorum, from 0 to 100. The sum of quorum and buffer must be at most 100. If the quorum is reached but the buffer is not, the aggregation still succeeds.",
  })
  quorumPercentageBuffer?: number | null;

  @Field(() => Quantity, {
    nullable: true,
    defaultValue: "0",
    description:
      "P-Chain height that determines the validators. 0 selects the height that a node would propose now, which is the height of some seconds ago.",
  })
  pChainHeight?: string | null;
}

@ArgsType()
export class AggregateSignaturesArgs extends QuorumArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, {
    nullable: true,
    description:
      "The unsigned Warp message, or the data of a `SendWarpMessage` log, as hex with or without `0x`, of at most 65,536 bytes. It may be absent if the message can be made from `justification`.",
  })
  message?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Data with which validators check a message of the P-Chain, as hex with or without `0x`, of at most 65,536 bytes. If `message` is absent, the message is made from these bytes. From the 32 bytes of a subnet id, Moraine makes the message which says that this subnet was converted to an L1. From the bytes of an `L1ValidatorRegistrationJustification` (a protobuf type of avalanchego) about a removed L1 validator, it makes the message which says that this validator is not registered. By default, such a message is signed by the validators of the chain with the validator manager, not by those of the primary network.",
  })
  justification?: string | null;
}

@ArgsType()
export class AggregateTransactionSignaturesArgs extends QuorumArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, {
    description:
      "Id of a transaction of the P-Chain, as CB58 or hex: a ConvertSubnetToL1Tx, a RegisterL1ValidatorTx or a SetL1ValidatorWeightTx.",
  })
  txHash!: string;
}

@ArgsType()
export class SignatureProgressArgs extends AggregateSignaturesArgs {
  @Field(() => String, {
    nullable: true,
    description:
      "Id of a transaction as in `Query.aggregateTransactionSignatures`, in place of `message` and `justification`.",
  })
  txHash?: string | null;
}
