import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Integer, Quantity } from "../../../core/scalars.ts";
import { EvmBlock } from "../blocks/types.ts";
import type { EvmContext } from "../context.ts";
import { EvmTransaction } from "../transactions/types.ts";
import { Erc20Transfer, Erc20TransferPage, Erc20TransfersArgs } from "./types.ts";

@Resolver(() => Erc20Transfer)
export class Erc20TransferResolver {
  @Query(() => Erc20TransferPage, { description: "ERC-20 transfers from or to an address, newest first." })
  erc20Transfers(
    @Args(() => Erc20TransfersArgs) args: Erc20TransfersArgs,
    @Ctx() { erc20Transfers }: EvmContext,
  ): Promise<Erc20TransferPage> {
    return erc20Transfers.page(args);
  }

  @FieldResolver(() => EvmTransaction, { nullable: true, description: "The transaction that it happened in." })
  transaction(@Root() { chainId, txHash }: Erc20Transfer, @Ctx() { load }: EvmContext): Promise<EvmTransaction | null> {
    return load.transaction({ chainId, txHash });
  }

  @FieldResolver(() => EvmBlock, { nullable: true, description: "Its block." })
  block(@Root() { chainId, blockNumber }: Erc20Transfer, @Ctx() { load }: EvmContext): Promise<EvmBlock | null> {
    return load.blockByNumber({ chainId, blockNumber });
  }

  @FieldResolver(() => Integer, {
    nullable: true,
    description: "When its block was made, in milliseconds; null before Granite.",
  })
  async blockTimestampMilliseconds(
    @Root() transfer: Erc20Transfer,
    @Ctx() context: EvmContext,
  ): Promise<string | null> {
    return (await this.block(transfer, context))?.blockTimestampMilliseconds ?? null;
  }
}

/** The transfer that another subgraph names. */
export async function resolveErc20TransferReference(
  key: { readonly chainId: string; readonly blockNumber: unknown; readonly logIndex: unknown },
  { configured, load }: EvmContext,
): Promise<Erc20Transfer | null> {
  const chainId = configured.get(String(key.chainId))?.chainId.toString();
  const logIndex = Number(Quantity.parseValue(key.logIndex));
  if (!chainId || logIndex > 2 ** 31 - 1) return null;
  return load.transfer({ chainId, blockNumber: Quantity.parseValue(key.blockNumber), logIndex });
}
