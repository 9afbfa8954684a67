import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { ZERO_ADDRESS } from "../../../core/formats/address.ts";
import { Hash, Integer, Quantity } from "../../../core/graph/scalars.ts";
import { RichAddress, richAddress } from "../addresses/types.ts";
import { EvmBlock } from "../blocks/types.ts";
import { findChainId, referencedChainId } from "../chains/chain-id.ts";
import { nullIfIndexed, UNINDEXED_CHAIN } from "../chains/require-indexed.ts";
import type { EvmContext } from "../context.ts";
import { Contract } from "../contracts/types.ts";
import { Method } from "../methods/types.ts";
import { pageInRange } from "../ranged-lists/page-in-range.ts";
import { isWhole } from "../ranged-lists/range.ts";
import { isChecked } from "./rows.ts";
import { EvmTransaction, EvmTransactionConnection, EvmTransactionsArgs } from "./types.ts";

@Resolver(() => EvmTransaction)
export class EvmTransactionResolver {
  @Query(() => EvmTransactionConnection, {
    description:
      "List the transactions of a chain, newest first. `EvmAddress.transactions` and `EvmAccount.transactions` list those of an address.",
  })
  evmTransactions(
    @Args(() => EvmTransactionsArgs) args: EvmTransactionsArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmTransactionConnection> {
    return isWhole(args.filter)
      ? context.transactions.page(args, context.work)
      : pageInRange([findChainId(args.chainId, context)], context.load.transactionsOfChains, args, context);
  }

  @Query(() => EvmTransaction, {
    nullable: true,
    description: `Get a transaction; null if it is not indexed. ${UNINDEXED_CHAIN}`,
  })
  async evmTransaction(
    @Arg("chainId", () => String, { description: "EVM chain id or blockchain id." }) chainIdText: string,
    @Arg("txHash", () => Hash, { description: "Hash of the transaction." }) txHash: string,
    @Ctx() context: EvmContext,
  ): Promise<EvmTransaction | null> {
    const chainId = findChainId(chainIdText, context);
    return (await context.load.transaction({ chainId, txHash })) ?? nullIfIndexed(chainId, context);
  }

  @FieldResolver(() => RichAddress, { description: "Sender." })
  from(@Root() transaction: EvmTransaction, @Ctx() context: EvmContext): RichAddress | Promise<RichAddress> {
    return loadRichAddress(transaction, transaction.from, context);
  }

  @FieldResolver(() => RichAddress, {
    nullable: true,
    description: "Recipient; null if the transaction creates a contract.",
  })
  async to(@Root() transaction: EvmTransaction, @Ctx() context: EvmContext): Promise<RichAddress | null> {
    return transaction.to === null ? null : loadRichAddress(transaction, transaction.to, context);
  }

  @FieldResolver(() => RichAddress, {
    description: "Recipient; the zero address if the transaction creates a contract.",
  })
  recipient(@Root() transaction: EvmTransaction, @Ctx() context: EvmContext): RichAddress | Promise<RichAddress> {
    return loadRichAddress(transaction, transaction.to ?? ZERO_ADDRESS, context);
  }

  @FieldResolver(() => Contract, {
    nullable: true,
    description: "Contract at `contractAddress`; null if the transaction creates none, or if it failed.",
  })
  contract(
    @Root() { chainId, contractAddress: address }: EvmTransaction,
    @Ctx() { load }: EvmContext,
  ): Promise<Contract | null> | null {
    return address === null ? null : load.contract({ chainId, address });
  }

  @FieldResolver(() => Method, { description: "Method that the transaction calls." })
  method(@Root() transaction: EvmTransaction, @Ctx() { methods }: EvmContext): Method {
    return methods.of(transaction);
  }

  @FieldResolver(() => Quantity, {
    description:
      "Fee that the sender paid, in the native token's smallest unit: the gas used, times the price paid per unit of gas.",
  })
  fee(@Root() { gasUsed, gasPrice }: EvmTransaction): string {
    return (BigInt(gasUsed) * BigInt(gasPrice)).toString();
  }

  @FieldResolver(() => EvmBlock, { nullable: true, description: "Block of the transaction." })
  block(@Root() { chainId, blockNumber }: EvmTransaction, @Ctx() { load }: EvmContext): Promise<EvmBlock | null> {
    return load.blockByNumber({ chainId, blockNumber });
  }

  @FieldResolver(() => Quantity, {
    nullable: true,
    description: "Base fee per unit of gas in the block; see `EvmBlock.baseFee`.",
  })
  baseFeePerGas(
    @Root() transaction: EvmTransaction,
    @Ctx() context: EvmContext,
  ): string | null | Promise<string | null> {
    if (isChecked(transaction)) return transaction.baseFee;
    return this.block(transaction, context).then((block) => block?.baseFee ?? null);
  }

  @FieldResolver(() => Integer, {
    nullable: true,
    description: "Timestamp of the block in milliseconds; null for blocks before the Granite upgrade.",
  })
  async blockTimestampMilliseconds(
    @Root() transaction: EvmTransaction,
    @Ctx() context: EvmContext,
  ): Promise<string | null> {
    return (await this.block(transaction, context))?.blockTimestampMilliseconds ?? null;
  }

  @FieldResolver(() => Quantity, {
    nullable: true,
    description: "Minimum delay excess of the block (ACP-226); null for blocks before the Granite upgrade.",
  })
  async blockMinDelayExcess(@Root() transaction: EvmTransaction, @Ctx() context: EvmContext): Promise<string | null> {
    return (await this.block(transaction, context))?.blockMinDelayExcess ?? null;
  }
}

function loadRichAddress(
  transaction: EvmTransaction,
  address: string,
  { load }: EvmContext,
): RichAddress | Promise<RichAddress> {
  const { chainId } = transaction;
  const isNoToken = isChecked(transaction) && !transaction.hasTokenAddress;
  if (isNoToken || address === ZERO_ADDRESS) return richAddress(chainId, address, null);
  return load.erc20Token({ chainId, address }).then((token) => richAddress(chainId, address, token));
}

/** Resolves a transaction by its federation key. */
export async function resolveEvmTransactionReference(
  key: { readonly chainId: string; readonly txHash: unknown },
  context: EvmContext,
): Promise<EvmTransaction | null> {
  const chainId = referencedChainId(key, context);
  return chainId === null ? null : context.load.transaction({ chainId, txHash: Hash.parseValue(key.txHash) });
}
