import { Arg, Args, Ctx, Directive, FieldResolver, Query, Resolver, Root } from "type-graphql";
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
import type { ChainsParent } from "../ranged-lists/across-chains.ts";
import { AccountTransactionsArgs, AccountTransfersArgs } from "../ranged-lists/args.ts";
import { type ChainsFilter, chainIdsOf, directionOf } from "../ranged-lists/filters.ts";
import { timesOf } from "../ranged-lists/range.ts";
import { EvmTransactionConnection } from "../transactions/types.ts";
import { EvmAccount } from "./types.ts";

const ORDER =
  "newest first by the time of their blocks. Of a chain that is still being indexed, the list has what is indexed so far; see `Chain.indexing`.";

@Resolver(() => EvmAccount)
export class EvmAccountResolver {
  @Query(() => EvmAccount, { description: "Get an address on all EVM chains. Every address exists." })
  evmAccount(@Arg("address", () => Address, { description: "The address." }) address: string): EvmAccount {
    return { address };
  }

  @FieldResolver(() => EvmTransactionConnection, { description: `Transactions from or to the address, ${ORDER}` })
  transactions(
    @Root() account: EvmAccount,
    @Args(() => AccountTransactionsArgs) args: AccountTransactionsArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmTransactionConnection> {
    const filter = args.filter ?? {};
    const { load } = context;
    const lists = filter.status ? load.failedTransactionsOfAddress : load.transactionsOfAddress;
    return lists[directionOf(filter)].ofChains(parentOf(account, filter, context), args);
  }

  @FieldResolver(() => Erc20TransferConnection, { description: `ERC-20 transfers from or to the address, ${ORDER}` })
  erc20Transfers(
    @Root() account: EvmAccount,
    @Args(() => AccountTransfersArgs) args: AccountTransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc20TransferConnection> {
    const filter = args.filter ?? {};
    const lists = context.load.erc20TransfersOfAddress;
    return lists[directionOf(filter)].ofChains(parentOf(account, filter, context), args);
  }

  @FieldResolver(() => Erc721TransferConnection, { description: `ERC-721 transfers from or to the address, ${ORDER}` })
  erc721Transfers(
    @Root() account: EvmAccount,
    @Args(() => AccountTransfersArgs) args: AccountTransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc721TransferConnection> {
    const filter = args.filter ?? {};
    const lists = context.load.erc721TransfersOfAddress;
    return lists[directionOf(filter)].ofChains(parentOf(account, filter, context), args);
  }

  @FieldResolver(() => Erc1155TransferConnection, {
    description: `ERC-1155 transfers from or to the address, ${ORDER}`,
  })
  erc1155Transfers(
    @Root() account: EvmAccount,
    @Args(() => AccountTransfersArgs) args: AccountTransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc1155TransferConnection> {
    const filter = args.filter ?? {};
    const lists = context.load.erc1155TransfersOfAddress;
    return lists[directionOf(filter)].ofChains(parentOf(account, filter, context), args);
  }

  @FieldResolver(() => EvmInternalTransactionConnection, {
    nullable: true,
    description: `Internal transactions from or to the address, without those of type \`UNKNOWN\`, ${ORDER} Chains without the capability \`traces\` are left out, unless the filter names them: then the field is null, with the error \`NOT_FOUND\`. Null, with the error \`UNAVAILABLE\`, if a block that the page covers is not traced: a block from the time of the beginning of the list to that of the last item of the page, or, on the last page, to the end of the list.`,
  })
  async internalTransactions(
    @Root() account: EvmAccount,
    @Args(() => AccountTransfersArgs) args: AccountTransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmInternalTransactionConnection> {
    const filter = args.filter ?? {};
    const { load } = context;
    const parent = parentOf(account, filter, context);
    const page = await load.internalTransactionsOfAddress[directionOf(filter)].ofChains(parent, args);
    const [fromTime, toTime] = coveredTimes(page, args, parent.times);
    await Promise.all(
      parent.chainIds.map(async (chainId) => {
        const coverage = await load.traceCoverage({ chainId, fromBlock: "0", toBlock: MAX_BIGINT, fromTime, toTime });
        if (filter.chains || coverage.offReason === null) requireTraces(chainId, coverage);
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

const parentOf = ({ address }: EvmAccount, filter: ChainsFilter, context: EvmContext): ChainsParent => ({
  chainIds: chainIdsOf(filter, context),
  key: [bytea(address)],
  times: timesOf(filter),
});

/** Resolves an address on all chains by its federation key. */
export const resolveEvmAccountReference = async (key: { readonly address: unknown }): Promise<EvmAccount> => ({
  address: Address.parseValue(key.address),
});
