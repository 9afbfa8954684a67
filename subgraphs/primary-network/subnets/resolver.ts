import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Failure } from "../../../core/errors/errors.ts";
import { Quantity } from "../../../core/graph/scalars.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { Blockchain } from "../blockchains/types.ts";
import type { PrimaryContext } from "../context.ts";
import { idText, parseIdParameter } from "../identifiers/ids.ts";
import { NEWEST_L1 } from "../l1-validators/order.ts";
import { keyOfList as keyOfL1List } from "../l1-validators/store.ts";
import { NestedL1ValidatorConnection, SortedL1ValidatorsBelowArgs } from "../l1-validators/types.ts";
import { keyOfList } from "../stakers/nested-list.ts";
import { parseOrder } from "../stakers/order.ts";
import { SortedValidatorsBelowArgs, ValidatorConnection } from "../validators/types.ts";
import type { SubnetTotals } from "./totals.ts";
import { Subnet, SubnetArgs, SubnetConnection, SubnetsArgs } from "./types.ts";

@Resolver(() => Subnet)
export class SubnetResolver {
  @Query(() => SubnetConnection, {
    description: "Subnets of a network, newest first by default. The primary network is the oldest subnet.",
  })
  async subnets(
    @Args(() => SubnetsArgs) args: SubnetsArgs,
    @Ctx() { networks, subnets, work }: PrimaryContext,
  ): Promise<SubnetConnection> {
    return subnets.page(await networks.require(args.network, "P"), args, work);
  }

  @Query(() => Subnet, { nullable: true, description: "One subnet by ID. Null if it is not indexed." })
  async subnet(
    @Args(() => SubnetArgs) args: SubnetArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<Subnet | null> {
    const { network } = await networks.require(args.network, "P");
    return load.subnet({ network, subnetId: parseIdParameter("subnetId", args.subnetId) });
  }

  @FieldResolver(() => Quantity, {
    description:
      "Number of validators that validate at the last indexed block. For an L1, they are the active L1 validators and the validators from before the conversion whose time has not ended.",
  })
  async validatorCount(@Root() subnet: Subnet, @Ctx() context: PrimaryContext): Promise<string> {
    return (await totalsOf(subnet, context)).validatorCount;
  }

  @FieldResolver(() => Quantity, { description: "Number of active delegations at the last indexed block." })
  async delegatorCount(@Root() subnet: Subnet, @Ctx() context: PrimaryContext): Promise<string> {
    return (await totalsOf(subnet, context)).delegatorCount;
  }

  @FieldResolver(() => Quantity, {
    description:
      "Weight of all validators and delegations at the last indexed block, of which consensus needs a part. Inactive L1 validators count, too. The unit is that of the staked asset; on a permissioned subnet and on an L1, the owner or the manager sets weights.",
  })
  async totalWeight(@Root() subnet: Subnet, @Ctx() context: PrimaryContext): Promise<string> {
    return (await totalsOf(subnet, context)).totalWeight;
  }

  @FieldResolver(() => [Blockchain], { description: "Blockchains of the subnet in order of creation." })
  blockchains(@Root() subnet: Subnet, @Ctx() { load }: PrimaryContext): Promise<Blockchain[]> {
    return load.blockchainsOfSubnet(keyOf(subnet));
  }

  @FieldResolver(() => ValidatorConnection, {
    description:
      "Validations of the subnet, by default latest start first. For an L1, only validations from before its conversion to an L1 are listed.",
  })
  validators(
    @Root() subnet: Subnet,
    @Args(() => SortedValidatorsBelowArgs) args: SortedValidatorsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<ValidatorConnection> {
    const order = parseOrder(args.orderBy);
    return load.validatorsOfSubnet(order, [...keyOf(subnet), ...keyOfList(args.filter?.status, order)], args);
  }

  @FieldResolver(() => NestedL1ValidatorConnection, { description: "Validators of the L1, by default newest first." })
  l1Validators(
    @Root() subnet: Subnet,
    @Args(() => SortedL1ValidatorsBelowArgs) args: SortedL1ValidatorsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<NestedL1ValidatorConnection> {
    const order = args.orderBy ?? NEWEST_L1;
    return load.l1ValidatorsOfSubnet(order, [...keyOf(subnet), ...keyOfL1List(args.statuses, order)], args);
  }
}

const keyOf = ({ networkId, subnetId }: Subnet): string[] => [networkId, bytea(subnetId)];

/** Resolves a federated reference to a subnet. */
export async function resolveSubnetReference(
  key: { readonly network: NetworkName; readonly subnetId: unknown },
  { networks, load }: PrimaryContext,
): Promise<Subnet | null> {
  const found = await networks.get(key.network, "P");
  return found && load.subnet({ network: found.network, subnetId: parseIdParameter("subnetId", String(key.subnetId)) });
}

/** The counters of a subnet, which exist with its first row. */
async function totalsOf({ networkId, subnetId }: Subnet, { load }: PrimaryContext): Promise<SubnetTotals> {
  const found = await load.subnetTotals({ networkId, subnetId });
  if (!found) throw new Failure("UNAVAILABLE", `the validators of subnet ${idText(subnetId)} are not counted yet`);
  return found;
}
