import { Directive, Field, Int, ObjectType } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import type { SignableMessage as Row } from "../../../signatures/protocol/protocol.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { Hash, Hex, Id } from "../scalars.ts";

@ObjectType({ description: "A Warp message that validators can be asked to sign." })
export class SignableMessage implements Row {
  @Field(() => NetworkName, { description: "Network of the validators." })
  network!: NetworkName;

  @Field(() => Hash, {
    description:
      "Id of the message: the SHA-256 of `unsignedMessage`. The warp precompile returns the same id. A Teleporter message inside has another id.",
  })
  messageId!: string;

  // `messageIdCb58` is a field of its resolver.

  @Field(() => Hex, { description: "The message without signatures. Validators sign these bytes." })
  unsignedMessage!: string;

  @Field(() => Hex, {
    description:
      "Additional data with which validators check the message. Only some messages of the P-Chain need it; it is empty for all others.",
  })
  justification!: string;

  @Field(() => Id, { description: "Blockchain id of the chain that sends the message." })
  sourceChainId!: string;

  @Field(() => Id, {
    description:
      "Subnet whose validators sign by default: the subnet of the chain that sends the message. For a message that Moraine makes from a P-Chain transaction or from a justification, it is the subnet of the chain with the validator manager of the L1, because only that chain verifies the message.",
  })
  signingSubnetId!: string;
}

/** An event of an interchain message; the evm subgraph owns it. */
@ObjectType()
@Directive('@key(fields: "chainId blockNumber logIndex")')
export class IcmEvent {
  @Field(() => String)
  chainId!: string;

  @Field(() => Quantity)
  blockNumber!: string;

  @Field(() => Int)
  logIndex!: number;
}

/** A transaction of a primary network; the primary-network subgraph owns it. */
@ObjectType()
@Directive('@key(fields: "network txHash")')
export class PrimaryNetworkTransaction {
  @Field(() => NetworkName)
  network!: NetworkName;

  @Field(() => Id)
  txHash!: string;
}
