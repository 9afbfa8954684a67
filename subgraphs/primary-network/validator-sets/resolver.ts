import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { PrimaryContext } from "../context.ts";
import { L1Validator } from "../l1-validators/types.ts";
import { Subnet } from "../subnets/types.ts";
import { ValidatorNode } from "../validator-nodes/types.ts";
import { readValidatorSet } from "./pages.ts";
import { ValidatorSetArgs, ValidatorSetConnection, ValidatorSetMember } from "./types.ts";

/** Bytes of a validation ID; a node ID has 20. */
const VALIDATION_ID_DIGITS = 64;

@Resolver(() => Subnet)
export class SubnetValidatorSetResolver {
  @FieldResolver(() => ValidatorSetConnection, {
    nullable: true,
    description:
      "Validator set of the subnet after a block of the P-Chain: the weights and keys that nodes use to verify signatures. The inactive validators of an L1 are included, because their weight counts. A page considers at most 20,000 further nodes or validations that were ever in the set, and the next page continues after them: a page can have fewer items than requested, or none, even if it is not the last. Null, with an error, if the block is not indexed.",
  })
  async validatorSet(
    @Root() { networkId, network, subnetId }: Subnet,
    @Args(() => ValidatorSetArgs) args: ValidatorSetArgs,
    @Ctx() context: PrimaryContext,
  ): Promise<ValidatorSetConnection> {
    const served = await context.networks.require(network, "P");
    const page = await readValidatorSet({ networkId, subnetId }, args, context);
    const members = page.nodes.map(({ entryId, ...member }) => ({
      ...member,
      served,
      validationId: entryId.length - "0x".length === VALIDATION_ID_DIGITS ? entryId : null,
    }));
    return page.withNodes(members).with({ network, blockNumber: page.blockNumber });
  }
}

@Resolver(() => ValidatorSetMember)
export class ValidatorSetMemberResolver {
  @FieldResolver(() => ValidatorNode, {
    nullable: true,
    description: "Node, with all its validations. Null without `nodeId`.",
  })
  node(@Root() { served, nodeId }: ValidatorSetMember): ValidatorNode | null {
    return nodeId === null ? null : { served, network: served.network, nodeId };
  }

  @FieldResolver(() => L1Validator, {
    nullable: true,
    description: "Validator of the L1. Null without `validationId`.",
  })
  async l1Validator(
    @Root() { served: { networkId }, validationId }: ValidatorSetMember,
    @Ctx() { load }: PrimaryContext,
  ): Promise<L1Validator | null> {
    return validationId === null ? null : load.l1Validator({ networkId, validationId });
  }
}
