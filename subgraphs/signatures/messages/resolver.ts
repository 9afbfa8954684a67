import { Args, Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import { parseIndex } from "../../shared/rows/keyed-rows.ts";
import { QuorumArgs } from "../aggregations/arguments.ts";
import { AGGREGATION_COST } from "../aggregations/cost.ts";
import { inputOf } from "../aggregations/input.ts";
import { SignatureAggregation } from "../aggregations/types.ts";
import type { SignaturesContext } from "../context.ts";
import { Blockchain, Subnet } from "../entities.ts";
import { Id } from "../scalars.ts";
import { IcmEvent, PrimaryNetworkTransaction, SignableMessage } from "./types.ts";

@Resolver(() => SignableMessage)
export class SignableMessageResolver {
  @FieldResolver(() => Id, {
    description: "`messageId` in CB58, the form that nodes log and that `warp_getMessage` takes.",
  })
  messageIdCb58(@Root() { messageId }: SignableMessage): string {
    return messageId;
  }

  @FieldResolver(() => Blockchain, {
    nullable: true,
    description: "Chain that sends the message. Null if it is not indexed.",
  })
  sourceBlockchain(@Root() { network, sourceChainId: blockchainId }: SignableMessage): Blockchain {
    return { network, blockchainId };
  }

  @FieldResolver(() => Subnet, {
    nullable: true,
    description: "Subnet whose validators sign by default. Null if it is not indexed.",
  })
  signingSubnet(@Root() { network, signingSubnetId: subnetId }: SignableMessage): Subnet {
    return { network, subnetId };
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => SignatureAggregation, {
    nullable: true,
    description: `Collect signatures of the message from the validators, as \`Query.aggregateSignatures\` does. ${AGGREGATION_COST}`,
  })
  aggregateSignatures(
    @Root() { network, unsignedMessage, justification, signingSubnetId }: SignableMessage,
    @Args(() => QuorumArgs) args: QuorumArgs,
    @Ctx() { aggregations, work }: SignaturesContext,
  ): Promise<SignatureAggregation> {
    const source = {
      kind: "message",
      network,
      message: unsignedMessage,
      justification: justification || null,
    } as const;
    return aggregations.run(
      inputOf(source, { ...args, signingSubnetId: args.signingSubnetId || signingSubnetId }),
      work,
    );
  }
}

@Resolver(() => IcmEvent)
export class IcmEventMessageResolver {
  @FieldResolver(() => SignableMessage, {
    nullable: true,
    description: "Message that the event sent. Validators can sign it. Null if the event sent none.",
  })
  signableMessage(
    @Root() { chainId, blockNumber, logIndex }: IcmEvent,
    @Ctx() { load }: SignaturesContext,
  ): Promise<SignableMessage | null> {
    return load.message({ kind: "log", chainId, blockNumber, logIndex });
  }
}

@Resolver(() => PrimaryNetworkTransaction)
export class TransactionMessageResolver {
  @FieldResolver(() => SignableMessage, {
    nullable: true,
    description:
      "Message about an L1 that validators can sign once this transaction is accepted. Null unless the type is `CONVERT_SUBNET_TO_L1_TX`, `REGISTER_L1_VALIDATOR_TX` or `SET_L1_VALIDATOR_WEIGHT_TX`.",
  })
  signableMessage(
    @Root() { network, txHash }: PrimaryNetworkTransaction,
    @Ctx() { load }: SignaturesContext,
  ): Promise<SignableMessage | null> {
    return load.message({ kind: "transaction", network, txHash });
  }
}

/** Resolves the entity `IcmEvent`: the representation already contains all fields that are needed here. */
export async function resolveIcmEventReference({ chainId, blockNumber, logIndex }: IcmEvent): Promise<IcmEvent> {
  return { chainId: String(chainId), blockNumber: Quantity.parseValue(blockNumber), logIndex: parseIndex(logIndex) };
}

/** Resolves the entity `PrimaryNetworkTransaction`: the representation already contains all fields that are needed here. */
export async function resolveTransactionReference(key: PrimaryNetworkTransaction): Promise<PrimaryNetworkTransaction> {
  return key;
}
