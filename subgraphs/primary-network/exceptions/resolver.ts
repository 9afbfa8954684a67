import { Args, Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import type { PrimaryContext } from "../context.ts";
import { PrimaryChainIndexing } from "../networks/types.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";
import { PrimaryChainException, PrimaryChainExceptionConnection, PrimaryChainExceptionsArgs } from "./types.ts";

@Resolver(() => PrimaryChainIndexing)
export class ChainExceptionsResolver {
  @Directive("@semanticNonNull")
  @FieldResolver(() => PrimaryChainExceptionConnection, {
    nullable: true,
    description:
      "What consensus accepted on this chain although the indexed rows contradict it: inputs that are missing or already spent, and effects on something that does not exist. An output can be missing while the blocks that create it are not indexed yet. Null, with the error `UNAVAILABLE`, until the first block of the chain is indexed.",
  })
  async exceptions(
    @Root() { key: { network, networkId, chain } }: PrimaryChainIndexing,
    @Args(() => PrimaryChainExceptionsArgs) args: PrimaryChainExceptionsArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<PrimaryChainExceptionConnection> {
    await networks.require(network, chain);
    const page = await load.exceptionsOfChain([networkId, chain], args);
    return page.withNodes(page.nodes.map((one) => ({ ...one, network })));
  }
}

@Resolver(() => PrimaryChainException)
export class ChainExceptionResolver {
  @FieldResolver(() => PrimaryNetworkTransaction, { nullable: true, description: "The transaction." })
  transaction(
    @Root() { network, txHash }: PrimaryChainException,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction | null> {
    return load.transaction({ network, txHash });
  }
}
