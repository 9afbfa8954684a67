import { Args, ArgsType, Ctx, Directive, Field, FieldResolver, Resolver, Root } from "type-graphql";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { exactly } from "../../shared/rows/list-reader.ts";
import { requireIndexed, UNINDEXED } from "../chains/not-indexed.ts";
import { Chain } from "../chains/types.ts";
import type { MetricsContext } from "../context.ts";
import { AccountOrder } from "./account-order.ts";
import { EvmAddressConnection } from "./types.ts";

const BY_TRANSACTIONS = { field: "TRANSACTIONS", direction: "desc" } as const;

@ArgsType()
class AccountsArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => AccountOrder, {
    defaultValue: BY_TRANSACTIONS,
    description: "Order. Default: most transactions first.",
  })
  orderBy!: AccountOrder;
}

@Resolver(() => Chain)
export class AccountsResolver {
  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmAddressConnection, {
    nullable: true,
    description: `Addresses of the chain that sent or received a transaction, and contracts that a transaction created directly. The numbers change with each block: an item can move to another page while pages are read. ${UNINDEXED}`,
  })
  async accounts(
    @Root() { chainId }: Chain,
    @Args(() => AccountsArgs) args: AccountsArgs,
    @Ctx() context: MetricsContext,
  ): Promise<EvmAddressConnection> {
    const page = await context.load.accounts[args.orderBy.direction]([chainId], args);
    const totals = async () => requireIndexed(chainId, await context.load.totals({ chainId }), context);
    if (page.nodes.length === 0) await totals();
    return page.countedBy(async () => exactly((await totals()).addresses));
  }
}
