import { ArgsType, Field } from "type-graphql";
import { Percentage, Quantity } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";

/** Which validators have to sign, and how many of them. */
@ArgsType()
export class QuorumArgs {
  @Field(() => String, {
    nullable: true,
    description:
      "Subnet whose validators sign, as CB58 or hex. Default: `SignableMessage.signingSubnetId` of the message. That is the subnet of the chain that sends the message, or for a message that follows from a transaction or from `justification` alone, that of the chain with the validator manager. An empty text stands for the default.",
  })
  signingSubnetId?: string | null;

  @Field(() => Percentage, {
    nullable: true,
    defaultValue: 67,
    description:
      "Share of the subnet's weight that has to sign, in percent, from 0 to 100. 0 stands for the default, 67.",
  })
  quorumPercentage?: number | null;

  @Field(() => Percentage, {
    nullable: true,
    defaultValue: 0,
    description:
      "Share of weight to collect above the quorum if validators answer, in percent, from 0 to 100. The quorum and this buffer must be at most 100 together. The aggregation also succeeds without the buffer.",
  })
  quorumPercentageBuffer?: number | null;

  @Field(() => Quantity, {
    nullable: true,
    defaultValue: "0",
    description:
      "Height of the P-Chain whose validators sign. 0: the height that a node would propose, which is that of some seconds ago.",
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
      "The unsigned Warp message, or the data of a `SendWarpMessage` log, as hex with or without `0x`, of at most 65,536 bytes. Required unless `justification` determines the message.",
  })
  message?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "What validators of the P-Chain need to check the message, as hex with or without `0x`, of at most 65,536 bytes. Without `message`, it must be the id of a subnet that was converted to an L1, or the justification of a removed L1 validator; then the message is signed by the subnet of the chain with the validator manager, not by the primary network.",
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
