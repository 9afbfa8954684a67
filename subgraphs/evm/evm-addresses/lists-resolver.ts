import { Args, Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import { bytea } from "../../shared/rows/text-rows.ts";
import { UNINDEXED_CHAIN } from "../chains/require-indexed.ts";
import type { EvmContext } from "../context.ts";
import { Erc20TransferConnection } from "../erc20-transfers/types.ts";
import { Erc721TransferConnection } from "../erc721-transfers/types.ts";
import { Erc1155TransferConnection } from "../erc1155-transfers/types.ts";
import { internalTransactionsOf } from "../internal-transactions/of-address.ts";
import { EvmInternalTransactionConnection } from "../internal-transactions/types.ts";
import { AddressTransactionsArgs, AddressTransfersArgs, MethodCallsArgs } from "../ranged-lists/args.ts";
import { pageOfAddress } from "../ranged-lists/page-in-range.ts";
import { EvmTransactionConnection } from "../transactions/types.ts";
import { EvmAddress } from "./types.ts";

/** Lists of an address on one chain. */
@Resolver(() => EvmAddress)
export class EvmAddressListsResolver {
  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmTransactionConnection, {
    nullable: true,
    description: `Transactions from or to the address, newest first. \`EvmAccount.transactions\` has those of all chains. ${UNINDEXED_CHAIN}`,
  })
  transactions(
    @Root() address: EvmAddress,
    @Args(() => AddressTransactionsArgs) args: AddressTransactionsArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmTransactionConnection> {
    const { transactionsOfAddress, failedTransactionsOfAddress } = context.load;
    const lists = args.filter?.status ? failedTransactionsOfAddress : transactionsOfAddress;
    return pageOfAddress(keyOf(address), lists, args, context);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmTransactionConnection, {
    nullable: true,
    description: `Transactions from or to the address that call a method, newest first. The first four bytes of their input are the selector of the method, whether the called contract has it or not. Those to a contract are the calls of its method. \`EvmAccount.methodCalls\` has those of all chains. ${UNINDEXED_CHAIN}`,
  })
  methodCalls(
    @Root() address: EvmAddress,
    @Args(() => MethodCallsArgs) args: MethodCallsArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmTransactionConnection> {
    const [chainId, of] = keyOf(address);
    return pageOfAddress([chainId, bytea(args.method), of], context.load.callsOfMethod, args, context);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => Erc20TransferConnection, {
    nullable: true,
    description: `ERC-20 transfers from or to the address, newest first. \`EvmAccount.erc20Transfers\` has those of all chains. ${UNINDEXED_CHAIN}`,
  })
  erc20Transfers(
    @Root() address: EvmAddress,
    @Args(() => AddressTransfersArgs) args: AddressTransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc20TransferConnection> {
    return pageOfAddress(keyOf(address), context.load.erc20TransfersOfAddress, args, context);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => Erc721TransferConnection, {
    nullable: true,
    description: `ERC-721 transfers from or to the address, newest first. \`EvmAccount.erc721Transfers\` has those of all chains. ${UNINDEXED_CHAIN}`,
  })
  erc721Transfers(
    @Root() address: EvmAddress,
    @Args(() => AddressTransfersArgs) args: AddressTransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc721TransferConnection> {
    return pageOfAddress(keyOf(address), context.load.erc721TransfersOfAddress, args, context);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => Erc1155TransferConnection, {
    nullable: true,
    description: `ERC-1155 transfers from or to the address, newest first. \`EvmAccount.erc1155Transfers\` has those of all chains. ${UNINDEXED_CHAIN}`,
  })
  erc1155Transfers(
    @Root() address: EvmAddress,
    @Args(() => AddressTransfersArgs) args: AddressTransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc1155TransferConnection> {
    return pageOfAddress(keyOf(address), context.load.erc1155TransfersOfAddress, args, context);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmInternalTransactionConnection, {
    nullable: true,
    description: `Internal transactions from or to the address, newest first, without those of type \`UNKNOWN\`. Null, with the error \`NOT_FOUND\`, if the chain does not have the capability \`TRACES\`. Null, with the error \`UNAVAILABLE\`, if a block that the page covers is not traced: a block from the beginning of the list to the last item of the page, or, on the last page, to the end of the list. \`EvmAccount.internalTransactions\` has those of all chains. ${UNINDEXED_CHAIN}`,
  })
  internalTransactions(
    @Root() address: EvmAddress,
    @Args(() => AddressTransfersArgs) args: AddressTransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmInternalTransactionConnection> {
    return internalTransactionsOf(address, args, context);
  }
}

/** Key of the lists of an address. */
const keyOf = ({ chainId, address }: EvmAddress): readonly [chainId: string, address: string] => [
  chainId,
  bytea(address),
];
