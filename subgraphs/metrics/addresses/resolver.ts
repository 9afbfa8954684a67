import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Address } from "../../../core/scalars.ts";
import { Chain } from "../chains/types.ts";
import type { MetricsContext } from "../context.ts";
import { AddressArgs, EvmAddress } from "./types.ts";

@Resolver(() => EvmAddress)
export class EvmAddressResolver {
  @Query(() => EvmAddress, {
    description: "Get an address on a chain. Fails with `NOT_FOUND` if the chain is not configured.",
  })
  address(
    @Args(() => AddressArgs) { chainId, address }: AddressArgs,
    @Ctx() { configuredChains }: MetricsContext,
  ): EvmAddress {
    return { chainId: String(configuredChains.require(chainId).chainId), address };
  }

  @Query(() => [EvmAddress], {
    description:
      "Get an address on every configured EVM chain, in the order of the configuration. On a chain that is not indexed yet its fields are null, with the error `UNAVAILABLE`.",
  })
  wallet(
    @Arg("address", () => Address, { description: "The address." }) address: string,
    @Ctx() { configuredChains }: MetricsContext,
  ): EvmAddress[] {
    return configuredChains.all.map(({ chainId }) => ({ chainId: String(chainId), address }));
  }

  @FieldResolver(() => Chain, { description: "Chain of the address." })
  chain(@Root() { chainId }: EvmAddress): Chain {
    return { chainId };
  }
}

/** Resolves an address by an entity's key; null if no such chain is configured. */
export async function resolveEvmAddressReference(
  key: { readonly chainId: unknown; readonly address: unknown },
  { configuredChains }: MetricsContext,
): Promise<EvmAddress | null> {
  const chain = configuredChains.get(String(key.chainId));
  return chain && { chainId: String(chain.chainId), address: Address.parseValue(key.address) };
}
