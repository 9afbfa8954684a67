import { Args, Ctx, Directive, FieldResolver, Query, Resolver, Root, Subscription } from "type-graphql";
import { Failure } from "../../../core/errors/errors.ts";
import type { SignaturesContext } from "../context.ts";
import { Subnet, ValidatorNode } from "../entities.ts";
import type { ProgressUpdate } from "./aggregations.ts";
import { AggregateSignaturesArgs, AggregateTransactionSignaturesArgs, SignatureProgressArgs } from "./arguments.ts";
import { AGGREGATION_COST } from "./cost.ts";
import { eitherSource, inputOf, messageSource, transactionSource } from "./input.ts";
import { OtherValidator, SignatureAggregation, SignatureProgress, SigningValidator } from "./types.ts";

const COST_AND_FAILURES = `${AGGREGATION_COST} Fails with \`INVALID_PARAMETER\` if validators with the weight of a quorum refuse the message for the same reason, or if so many refuse it for good that the others cannot form a quorum. In the first case, a later attempt can succeed if later blocks remove the reason. If the quorum is not reached for another reason, fails with \`UNAVAILABLE\`: try again later. If Moraine has asked validators itself and too few of them sign, the error message gives the weight that has signed and, for each reason such as a refusal, the weight that has not signed.`;

const SIGNING_SUBNET = {
  nullable: true,
  description: "Subnet whose validators sign. Null if it is not indexed.",
} as const;

@Resolver(() => SignatureAggregation)
export class SignatureAggregationResolver {
  @Query(() => SignatureAggregation, {
    description: `Collect signatures of a Warp message from the validators of a subnet until a quorum has signed, and aggregate them. ${COST_AND_FAILURES}`,
  })
  aggregateSignatures(
    @Args(() => AggregateSignaturesArgs) args: AggregateSignaturesArgs,
    @Ctx() { aggregations, work }: SignaturesContext,
  ): Promise<SignatureAggregation> {
    return aggregations.run(inputOf(messageSource(args), args), work);
  }

  @Query(() => SignatureAggregation, {
    description: `Collect signatures of the message that follows from a P-Chain transaction about an L1. The message, its justification and the signing subnet are read from the index. ${COST_AND_FAILURES}`,
  })
  aggregateTransactionSignatures(
    @Args(() => AggregateTransactionSignaturesArgs) args: AggregateTransactionSignaturesArgs,
    @Ctx() { aggregations, work }: SignaturesContext,
  ): Promise<SignatureAggregation> {
    return aggregations.run(inputOf(transactionSource(args), args), work);
  }

  @Subscription(() => SignatureProgress, {
    description: `Start an aggregation and send its progress. Takes the arguments of \`Query.aggregateSignatures\`, or \`txHash\` as in \`Query.aggregateTransactionSignatures\`. Completes after the state \`DONE\` or an error. When the subscription ends, the aggregation is stopped, unless another caller waits for the same aggregation. ${COST_AND_FAILURES}`,
    subscribe: ({ args, context }) => context.aggregations.follow(inputOf(eitherSource(args), args)),
  })
  signatureProgress(
    @Root() update: ProgressUpdate,
    @Args(() => SignatureProgressArgs) _args: SignatureProgressArgs,
  ): SignatureProgress {
    if (update instanceof Failure) throw update;
    return update;
  }

  @FieldResolver(() => Subnet, SIGNING_SUBNET)
  signingSubnet(@Root() aggregation: SignatureAggregation): Subnet {
    return subnetOf(aggregation);
  }
}

@Resolver(() => SignatureProgress)
export class SignatureProgressResolver {
  @FieldResolver(() => Subnet, SIGNING_SUBNET)
  signingSubnet(@Root() progress: SignatureProgress): Subnet {
    return subnetOf(progress);
  }
}

@Resolver(() => SigningValidator)
export class SigningValidatorResolver {
  @Directive("@semanticNonNull(levels: [0, 1])")
  @FieldResolver(() => [ValidatorNode], { nullable: "itemsAndList", description: "The nodes, with their validations." })
  nodes(@Root() { nodeIds }: SigningValidator): ValidatorNode[] {
    return nodeIds.map((nodeId) => ({ nodeId }));
  }
}

@Resolver(() => OtherValidator)
export class OtherValidatorResolver {
  @Directive("@semanticNonNull(levels: [0, 1])")
  @FieldResolver(() => [ValidatorNode], { nullable: "itemsAndList", description: "The nodes, with their validations." })
  nodes(@Root() { nodeIds }: OtherValidator): ValidatorNode[] {
    return nodeIds.map((nodeId) => ({ nodeId }));
  }
}

function subnetOf({
  message: { network },
  signingSubnetId: subnetId,
}: Pick<SignatureProgress, "message" | "signingSubnetId">): Subnet {
  return { network, subnetId };
}
