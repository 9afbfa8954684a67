import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Failure } from "../../../core/errors/errors.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { momentOf } from "../../shared/schema/state-at.ts";
import { blockAt } from "../blocks/block-at.ts";
import type { PrimaryContext } from "../context.ts";
import { parseAddresses } from "../networks/addresses.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { AddressBalances, AddressBalancesArgs, type BalanceQuery, ImportableBalances } from "./types.ts";

@Resolver(() => AddressBalances)
export class AddressBalancesResolver {
  @Query(() => AddressBalances, {
    description: "Balances of addresses on a chain of a primary network, now or at a given time.",
  })
  async primaryNetworkBalances(
    @Args(() => AddressBalancesArgs) args: AddressBalancesArgs,
    @Ctx() context: PrimaryContext,
  ): Promise<AddressBalances> {
    const { networks, balances, work } = context;
    const { network, chain } = await networks.requireChain(args.network, args.blockchainId);
    if (args.addresses.length === 0) throw new Failure("INVALID_PARAMETER", "addresses must be given");
    const addresses = parseAddresses(network, args.addresses);
    const moment = await momentOfBalances(network, chain, args, context);
    return balances.of({ network, chain, addresses, ...moment }, work);
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

/** The moment that the arguments select. One more statement for a block. Throws `INVALID_PARAMETER` for a block that is not indexed. */
async function momentOfBalances(
  { networkId }: ServedNetwork,
  chain: PrimaryChain,
  { blockTimestamp = null, at }: AddressBalancesArgs,
  context: PrimaryContext,
): Promise<Pick<BalanceQuery, "blockTimestamp" | "blockNumber" | "timeArgument">> {
  const moment = momentOf(at);
  if (moment === null) return { blockTimestamp, blockNumber: null, timeArgument: "blockTimestamp" };
  if (blockTimestamp !== null) throw new Failure("INVALID_PARAMETER", "blockTimestamp and at must not both be given");
  if (moment.block === null) return { blockTimestamp: moment.time, blockNumber: null, timeArgument: "at.time" };
  const { blockNumber, blockTimestamp: time } = await blockAt(networkId, chain, moment, context);
  return { blockTimestamp: time, blockNumber, timeArgument: "the time of at.block" };
}
