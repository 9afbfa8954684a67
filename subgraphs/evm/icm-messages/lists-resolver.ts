import { Args, Ctx, Directive, FieldResolver, Query, Resolver, Root } from "type-graphql";
import type { Page } from "../../../core/graph/connection-page.ts";
import type { EvmContext } from "../context.ts";
import { EvmAccount } from "../evm-accounts/types.ts";
import { EvmAddress } from "../evm-addresses/types.ts";
import { chainsOf } from "../ranged-lists/filters.ts";
import { pageOfListed } from "../ranged-lists/page-in-range.ts";
import {
  AccountIcmMessagesArgs,
  AddressIcmMessagesArgs,
  type IcmMessage,
  IcmMessageConnection,
  type IcmMessageFilter,
  IcmMessagesArgs,
} from "./types.ts";

const UNINDEXED =
  "Null, with the error `UNAVAILABLE`, if no block of a chain that the filter names is indexed, or if the list is empty and no block of any chain is indexed.";

@Resolver()
export class IcmMessagesResolver {
  @Query(() => IcmMessageConnection, {
    description: `List interchain messages by chain, address, direction, state and time, newest first by default. Each message is one item, with both of its ends. ${UNINDEXED}`,
  })
  icmMessages(
    @Args(() => IcmMessagesArgs) args: IcmMessagesArgs,
    @Ctx() context: EvmContext,
  ): Promise<IcmMessageConnection> {
    return messagesOf(args.filter ?? {}, args, context);
  }
}

@Resolver(() => EvmAccount)
export class IcmMessagesOfAccountResolver {
  @Directive("@semanticNonNull")
  @FieldResolver(() => IcmMessageConnection, {
    nullable: true,
    description: `Interchain messages from or to the address on all chains, newest first by default. ${UNINDEXED}`,
  })
  icmMessages(
    @Root() { address }: EvmAccount,
    @Args(() => AccountIcmMessagesArgs) args: AccountIcmMessagesArgs,
    @Ctx() context: EvmContext,
  ): Promise<IcmMessageConnection> {
    return messagesOf({ ...args.filter, address }, args, context);
  }
}

@Resolver(() => EvmAddress)
export class IcmMessagesOfAddressResolver {
  @Directive("@semanticNonNull")
  @FieldResolver(() => IcmMessageConnection, {
    nullable: true,
    description:
      "Interchain messages that the address sent from this chain, or receives on it, newest first by default. `EvmAccount.icmMessages` has those of all chains. Null, with the error `UNAVAILABLE`, until the first block of the chain is indexed.",
  })
  icmMessages(
    @Root() { chainId, address }: EvmAddress,
    @Args(() => AddressIcmMessagesArgs) args: AddressIcmMessagesArgs,
    @Ctx() context: EvmContext,
  ): Promise<IcmMessageConnection> {
    return messagesOf({ ...args.filter, chains: [chainId], address }, args, context);
  }
}

/** Reads a page of the messages of a filter. Throws `NOT_FOUND` for a chain that is not configured, and `UNAVAILABLE` like `pageOfListed`. */
async function messagesOf(
  filter: IcmMessageFilter,
  args: AddressIcmMessagesArgs,
  context: EvmContext,
): Promise<Page<IcmMessage>> {
  const listed = chainsOf(filter, context);
  const chains = listed.areNamed ? listed.chainIds.map((chainId) => context.configuredChains.require(chainId)) : null;
  const list = { ...filter, chains, order: args.orderBy?.direction ?? "desc" };
  return pageOfListed(listed, context.load.icmMessages(list, args), context);
}
