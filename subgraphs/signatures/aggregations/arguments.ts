import { ArgsType, Field, Int } from "type-graphql";
import { Quantity } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";

/** Which validators have to sign, and how many of them. */
@ArgsType()
export class QuorumArgs {
  @Field(() => String, {
    nullable: true,
    description:
      "Subnet whose validators sign, as CB58 or hex. Default: `SignableMessage.signingSubnetId` of the message.",
  })
  signingSubnetId?: string | null;

  @Field(() => Int, {
    nullable: true,
    defaultValue: 67,
    description:
      "Share of the subnet's weight that has to sign, in percent, from 0 to 100. 0 stands for the default, 67.",
  })
  quorumPercentage?: number | null;

  @Field(() => Int, {
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
      "The unsigned Warp message, or the data of a `SendWarpMessage` log, as hex with or without `0x`. Required unless `justification` determines the message.",
  })
  message?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "What validators of the P-Chain need to check the message, as hex with or without `0x`. Without `message`, it must be the id of a subnet that was converted to an L1, or the justification of a removed L1 validator.",
  })
  justification?: string | null;
}

@ArgsType()
export class AggregateTransactionSignaturesArgs extends QuorumArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, {
    description:
      "Id of a transaction of the P-Chain, in CB58: a ConvertSubnetToL1Tx, a RegisterL1ValidatorTx or a SetL1ValidatorWeightTx.",
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
