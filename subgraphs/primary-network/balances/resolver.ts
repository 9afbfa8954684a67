import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import type { PrimaryContext } from "../context.ts";
import { parseAddresses } from "../networks/addresses.ts";
import { findChain } from "../networks/chains.ts";
import { AddressBalances, AddressBalancesArgs, ImportableBalances, type PrimaryNetworkBalances } from "./types.ts";

@Resolver(() => AddressBalances)
export class AddressBalancesResolver {
  @Query(() => AddressBalances, {
    description: "What addresses own on a chain of a primary network, now or at a time.",
  })
  async primaryNetworkBalances(
    @Args(() => AddressBalancesArgs) args: AddressBalancesArgs,
    @Ctx() { networks, balances }: PrimaryContext,
  ): Promise<AddressBalances> {
    const network = await networks.find(args.network);
    return balances.of({
      network,
      chain: findChain(network, args.blockchainId),
      addresses: parseAddresses(network, args.addresses),
      blockTimestamp: args.blockTimestamp ?? null,
    });
  }

  @FieldResolver(() => ImportableBalances, { description: "What the chain can import for the addresses." })
  importable(@Root() { asked }: AddressBalances, @Ctx() { balances }: PrimaryContext): Promise<ImportableBalances> {
    return balances.importable(asked);
  }
}

const TYPES = { P: "PChainBalances", X: "XChainBalances", C: "CChainBalances" } as const;

/** Name of the type of balances. What TypeGraphQL makes of a union's types is a promise, which the gateway does not take. */
export function resolveBalancesType({ chain }: PrimaryNetworkBalances): string {
  return TYPES[chain];
}
