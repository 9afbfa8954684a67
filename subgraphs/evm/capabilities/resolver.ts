import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { ChainCapability } from "./types.ts";

@Resolver(() => Chain)
export class ChainCapabilityResolver {
  @FieldResolver(() => [ChainCapability], {
    description: "Optional capabilities of the chain. Empty until the indexer has checked them.",
  })
  async capabilities(@Root() { chainId }: Chain, @Ctx() { load }: EvmContext): Promise<ChainCapability[]> {
    return (await load.capabilities({ chainId }))?.capabilities ?? [];
  }
}
