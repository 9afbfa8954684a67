import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { momentOf } from "../../shared/schema/state-at.ts";
import { blockAt } from "../blocks/block-at.ts";
import type { PrimaryContext } from "../context.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { Subnet } from "../subnets/types.ts";
import { L1ValidatorTransactionConnection, TransactionsBelowArgs } from "../transactions/types.ts";
import { ValidatorNode } from "../validator-nodes/types.ts";
import {
  L1Validator,
  L1ValidatorArgs,
  L1ValidatorConnection,
  L1ValidatorState,
  L1ValidatorStateArgs,
  L1ValidatorsArgs,
} from "./types.ts";

@Resolver(() => L1Validator)
export class L1ValidatorResolver {
  @Query(() => L1ValidatorConnection, {
    description:
      "L1 validators, newest first by default. Without a status in the filter, only active validators are listed, except that `l1ValidationId` also finds an inactive one.",
  })
  l1Validators(
    @Args(() => L1ValidatorsArgs) args: L1ValidatorsArgs,
    @Ctx() { l1Validators, work }: PrimaryContext,
  ): Promise<L1ValidatorConnection> {
    return l1Validators.page(args, work);
  }

  @Query(() => L1Validator, {
    nullable: true,
    description: "One L1 validator by validation ID, even if it was removed. Null if it is not indexed.",
  })
  async l1Validator(
    @Args(() => L1ValidatorArgs) { network, validationId }: L1ValidatorArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<L1Validator | null> {
    const { networkId } = await networks.require(network, "P");
    return load.l1Validator({ networkId, validationId: parseIdParameter("validationId", validationId) });
  }

  @FieldResolver(() => L1ValidatorState, {
    nullable: true,
    description:
      "State after a block. Null if the validator was not registered then, or was removed. Null, with an error, if the block is not indexed.",
  })
  async state(
    @Root() { served: { network, networkId }, subnetId, validationId }: L1Validator,
    @Args(() => L1ValidatorStateArgs) { at }: L1ValidatorStateArgs,
    @Ctx() context: PrimaryContext,
  ): Promise<L1ValidatorState | null> {
    const { blockNumber, blockTimestamp } = await blockAt(networkId, "P", momentOf(at), context);
    const key = { networkId, subnetId, validationId, blockNumber, blockTimestamp };
    const state = await context.load.l1ValidatorState(key);
    return state && { ...state, network };
  }

  @FieldResolver(() => Subnet, { nullable: true, description: "Subnet of the L1. Null if it does not exist." })
  subnet(@Root() { served, subnetId }: L1Validator, @Ctx() { load }: PrimaryContext): Promise<Subnet | null> {
    return load.subnet({ network: served.network, subnetId });
  }

  @FieldResolver(() => L1ValidatorTransactionConnection, {
    description:
      "Transactions of the P-Chain that register the validator, convert its subnet, change its weight, add to its balance or disable it, newest first.",
  })
  async transactions(
    @Root() { served: { network, networkId }, validationId }: L1Validator,
    @Args(() => TransactionsBelowArgs) args: TransactionsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<L1ValidatorTransactionConnection> {
    const page = await load.transactionsOfL1Validator([networkId, bytea(validationId)], args);
    return page.withFound(await Promise.all(page.nodes.map(({ txHash }) => load.transaction({ network, txHash }))));
  }

  @FieldResolver(() => ValidatorNode, { description: "Node, with all its validations." })
  node(@Root() { served, nodeId }: L1Validator): ValidatorNode {
    return { served, network: served.network, nodeId };
  }
}

/** Resolves a federated reference to an L1 validator. */
export async function resolveL1ValidatorReference(
  key: { readonly network: NetworkName; readonly validationId: string },
  { networks, load }: PrimaryContext,
): Promise<L1Validator | null> {
  const served = await networks.get(key.network, "P");
  const validationId = parseIdParameter("validationId", key.validationId);
  return served && load.l1Validator({ networkId: served.networkId, validationId });
}
