import { Arg, Args, Ctx, Directive, FieldResolver, Query, Resolver, Root } from "type-graphql";
import type { Page } from "../../../core/graph/connection-page.ts";
import { Address } from "../../../core/graph/scalars.ts";
import { requireTraces } from "../../../core/networks/trace-coverage.ts";
import { bytea, MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import type { EvmContext } from "../context.ts";
import { Erc20TransferConnection } from "../erc20-transfers/types.ts";
import { Erc721TransferConnection } from "../erc721-transfers/types.ts";
import { Erc1155TransferConnection } from "../erc1155-transfers/types.ts";
import { EvmAddress } from "../evm-addresses/types.ts";
import { coveredTimes } from "../internal-transactions/trace-coverage.ts";
import { EvmInternalTransactionConnection } from "../internal-transactions/types.ts";
import type { AddressLists } from "../ranged-lists/address-lists.ts";
import { AccountMethodCallsArgs, AccountTransactionsArgs, AccountTransfersArgs } from "../ranged-lists/args.ts";
import { chainsOf, directionOf, OF_CHAINS, parentOf } from "../ranged-lists/filters.ts";
import { timesOf } from "../ranged-lists/range.ts";
import { EvmTransactionConnection } from "../transactions/types.ts";
import { EvmAccount } from "./types.ts";

@Resolver(() => EvmAccount)
export class EvmAccountResolver {
  @Query(() => EvmAccount, { description: "Get an address on all EVM chains. Every address exists." })
  evmAccount(@Arg("address", () => Address, { description: "The address." }) address: string): EvmAccount {
    return { address };
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmTransactionConnection, {
    nullable: true,
    description: `Transactions from or to the address, ${OF_CHAINS}`,
  })
  transactions(
    @Root() account: EvmAccount,
    @Args(() => AccountTransactionsArgs) args: AccountTransactionsArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmTransactionConnection> {
    const { transactionsOfAddress, failedTransactionsOfAddress } = context.load;
    const lists = args.filter?.status ? failedTransactionsOfAddress : transactionsOfAddress;
    return pageOf([bytea(account.address)], lists, args, context);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmTransactionConnection, {
    nullable: true,
    description: `Transactions from or to the address that call a method, ${OF_CHAINS} The first four bytes of their input are the selector of the method, whether the called contract has it or not. Those to a contract are the calls of its method.`,
  })
  methodCalls(
    @Root() account: EvmAccount,
    @Args(() => AccountMethodCallsArgs) args: AccountMethodCallsArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmTransactionConnection> {
    return pageOf([bytea(args.method), bytea(account.address)], context.load.callsOfMethod, args, context);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => Erc20TransferConnection, {
    nullable: true,
    description: `ERC-20 transfers from or to the address, ${OF_CHAINS}`,
  })
  erc20Transfers(
    @Root() account: EvmAccount,
    @Args(() => AccountTransfersArgs) args: AccountTransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc20TransferConnection> {
    return pageOf([bytea(account.address)], context.load.erc20TransfersOfAddress, args, context);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => Erc721TransferConnection, {
    nullable: true,
    description: `ERC-721 transfers from or to the address, ${OF_CHAINS}`,
  })
  erc721Transfers(
    @Root() account: EvmAccount,
    @Args(() => AccountTransfersArgs) args: AccountTransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc721TransferConnection> {
    return pageOf([bytea(account.address)], context.load.erc721TransfersOfAddress, args, context);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => Erc1155TransferConnection, {
    nullable: true,
    description: `ERC-1155 transfers from or to the address, ${OF_CHAINS}`,
  })
  erc1155Transfers(
    @Root() account: EvmAccount,
    @Args(() => AccountTransfersArgs) args: AccountTransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc1155TransferConnection> {
    return pageOf([bytea(account.address)], context.load.erc1155TransfersOfAddress, args, context);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmInternalTransactionConnection, {
    nullable: true,
    description: `Internal transactions from or to the address, without those of type \`UNKNOWN\`, ${OF_CHAINS} Null, with the error \`NOT_FOUND\`, if one of the chains does not have the capability \`TRACES\`: name the other chains in \`filter.chains\`. Null, with the error \`UNAVAILABLE\`, if a block that the page covers is not traced: a block from the time of the beginning of the list to that of the last item of the page, or, on the last page, to the end of the list.`,
  })
  async internalTransactions(
    @Root() account: EvmAccount,
    @Args(() => AccountTransfersArgs) args: AccountTransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmInternalTransactionConnection> {
    const { internalTransactionsOfAddress, traceCoverage } = context.load;
    const page = await pageOf([bytea(account.address)], internalTransactionsOfAddress, args, context);
    const filter = args.filter ?? {};
    const { chainIds, areNamed } = chainsOf(filter, context);
    const [fromTime, toTime] = coveredTimes(page, args, timesOf(filter));
    const alternative = areNamed ? "" : "; `filter.chains` can name the other chains";
    await Promise.all(
      chainIds.map(async (chainId) => {
        const range = { chainId, fromBlock: "0", toBlock: MAX_BIGINT, fromTime, toTime };
        requireTraces(chainId, await traceCoverage(range), alternative);
      }),
    );
    return page;
  }

  @Directive("@semanticNonNull(levels: [0, 1])")
  @FieldResolver(() => [EvmAddress], {
    nullable: "itemsAndList",
    description: "The address on each chain, in the order of the configuration.",
  })
  addresses(@Root() { address }: EvmAccount, @Ctx() { configuredChains }: EvmContext): EvmAddress[] {
    return configuredChains.all.map(({ chainId }) => ({ chainId: String(chainId), address }));
  }
}

/** Reads a page of what an address sent or received on the chains of the filter. `key` ends with the address. */
async function pageOf<Item>(
  key: readonly string[],
  lists: AddressLists<Item>,
  args: AccountTransfersArgs,
  context: EvmContext,
): Promise<Page<Item>> {
  const filter = args.filter ?? {};
  return lists[directionOf(filter)].ofChains(parentOf(filter, key, context), args);
}

/** Resolves an address on all chains by its federation key. */
export const resolveEvmAccountReference = async (key: { readonly address: unknown }): Promise<EvmAccount> => ({
  address: Address.parseValue(key.address),
});
