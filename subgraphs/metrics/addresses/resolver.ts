import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Address, Quantity } from "../../../core/graph/scalars.ts";
import { EvmBlock } from "../chains/evm-block.ts";
import { requireIndexed, UNINDEXED } from "../chains/not-indexed.ts";
import { Chain } from "../chains/types.ts";
import type { MetricsContext } from "../context.ts";
import type { AddressActivity } from "./store.ts";
import { AddressArgs, BlockReference, EvmAddress } from "./types.ts";

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
      "Get an address on every configured EVM chain, in the order of the configuration. For a chain of which no block is indexed yet, all fields except `chainId`, `address` and `chain` are null with the error `UNAVAILABLE`.",
  })
  wallet(
    @Arg("address", () => Address, { description: "The address." }) address: string,
    @Ctx() { configuredChains }: MetricsContext,
  ): EvmAddress[] {
    return configuredChains.all.map(({ chainId }) => ({ chainId: String(chainId), address }));
  }

  @FieldResolver(() => Chain, { nullable: true, description: "Chain of the address." })
  chain(@Root() { chainId }: EvmAddress): Chain {
    return { chainId };
  }

  @FieldResolver(() => BlockReference, {
    nullable: true,
    description: `First block in which the address sent or received a transaction, or in which a transaction directly created the contract at the address. Null if there is none. Internal transactions and token transfers are not considered. ${UNINDEXED}`,
  })
  async firstSeen(@Root() address: EvmAddress, @Ctx() context: MetricsContext): Promise<BlockReference | null> {
    const { firstBlockNumber, firstBlockTimestamp } = await activityOf(address, context);
    return blockReference(address, firstBlockNumber, firstBlockTimestamp);
  }

  @FieldResolver(() => BlockReference, {
    nullable: true,
    description:
      "Last block in which the address sent or received a transaction, or in which a transaction directly created the contract at the address. Null in the same cases as `firstSeen`.",
  })
  async lastSeen(@Root() address: EvmAddress, @Ctx() context: MetricsContext): Promise<BlockReference | null> {
    const { lastBlockNumber, lastBlockTimestamp } = await activityOf(address, context);
    return blockReference(address, lastBlockNumber, lastBlockTimestamp);
  }

  @FieldResolver(() => Quantity, {
    nullable: true,
    description: `Number of transactions, including failed ones, that the address sent or received, or that directly created the contract at the address. Each transaction counts once. ${UNINDEXED}`,
  })
  async transactionCount(@Root() address: EvmAddress, @Ctx() context: MetricsContext): Promise<string> {
    return (await activityOf(address, context)).transactionCount;
  }
}

@Resolver(() => BlockReference)
export class BlockReferenceResolver {
  @FieldResolver(() => EvmBlock, { nullable: true, description: "The block." })
  block(@Root() { chainId, blockNumber }: BlockReference): EvmBlock {
    return { chainId, blockNumber };
  }
}

async function activityOf({ chainId, address }: EvmAddress, context: MetricsContext): Promise<AddressActivity> {
  const found = await context.load.addressActivity({ chainId, address });
  return requireIndexed(chainId, found, context, `chain ${chainId}`);
}

function blockReference(
  { chainId }: EvmAddress,
  blockNumber: string | null,
  blockTimestamp: string | null,
): BlockReference | null {
  return blockNumber === null || blockTimestamp === null ? null : { chainId, blockNumber, blockTimestamp };
}
