import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Failure } from "../../../core/errors/errors.ts";
import type { PrimaryContext } from "../context.ts";
import { parseAddresses } from "../networks/addresses.ts";
import { AddressBalances, AddressBalancesArgs, ImportableBalances } from "./types.ts";

@Resolver(() => AddressBalances)
export class AddressBalancesResolver {
  @Query(() => AddressBalances, {
    description: "Balances of addresses on a chain of a primary network, now or at a given time.",
  })
  async primaryNetworkBalances(
    @Args(() => AddressBalancesArgs) args: AddressBalancesArgs,
    @Ctx() { networks, balances, work }: PrimaryContext,
  ): Promise<AddressBalances> {
    const { network, chain } = await networks.requireChain(args.network, args.blockchainId);
    if (args.addresses.length === 0) throw new Failure("INVALID_PARAMETER", "addresses must be given");
    const addresses = parseAddresses(network, args.addresses);
    return balances.of({ network, chain, addresses, blockTimestamp: args.blockTimestamp ?? null }, work);
  }

  @FieldResolver(() => ImportableBalances, {
    description: "Outputs in atomic memory that the chain can import for the addresses.",
  })
  async importable(
    @Root() { query }: AddressBalances,
    @Ctx() { networks, balances, load, work }: PrimaryContext,
  ): Promise<ImportableBalances | null> {
    await networks.requireIndexed(query.network, "P", "X", "C");
    const { network, chain, addresses, blockTimestamp } = query;
    const [address, ...others] = addresses;
    if (address === undefined || others.length > 0 || blockTimestamp !== null) return balances.importable(query, work);
    return load.importable({ network: network.network, chain, address });
  }
}
