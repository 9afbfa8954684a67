import { Field, InputType, registerEnumType } from "type-graphql";
import { Address } from "../../../core/graph/scalars.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import { findChainId } from "../chains/chain-id.ts";
import type { ChainsParent } from "./across-chains.ts";
import type { Direction } from "./address-lists.ts";
import { BlockRangeFilter, TimeFilter, timesOf } from "./range.ts";
import type { ListedChains } from "./unindexed-chains.ts";

const TransferDirection = { SENT: "SENT", RECEIVED: "RECEIVED" } as const;
type TransferDirection = keyof typeof TransferDirection;

registerEnumType(TransferDirection, {
  name: "TransferDirection",
  description: "Which side an address is on. What an address sent to itself is in both.",
  valuesConfig: {
    SENT: { description: "The address is the sender." },
    RECEIVED: { description: "The address is the recipient." },
  },
});

const TransactionStatusFilter = { FAILED: "FAILED" } as const;
type TransactionStatusFilter = keyof typeof TransactionStatusFilter;

registerEnumType(TransactionStatusFilter, {
  name: "TransactionStatusFilter",
  description: "Status of transactions by which a list can be filtered.",
  valuesConfig: { FAILED: { description: "The transaction failed, so that its effects were reverted." } },
});

const DIRECTION = "Filter by the side that the address is on. Default: both sides.";
const STATUS = "Filter by status. Default: every status.";

@InputType({ description: "Filter of the transfers of an address on one chain. Items fulfil all conditions." })
export class AddressTransferFilter extends BlockRangeFilter {
  @Field(() => TransferDirection, { nullable: true, description: DIRECTION })
  direction?: TransferDirection | null;
}

@InputType({ description: "Filter of the transfers of a token. Items fulfil all conditions." })
export class TokenTransferFilter extends BlockRangeFilter {
  @Field(() => Address, { nullable: true, description: "Filter by sender or recipient. Default: every address." })
  address?: string | null;

  @Field(() => TransferDirection, {
    nullable: true,
    description: "Filter by the side that `address` is on. Default: both sides. Without `address` it changes nothing.",
  })
  direction?: TransferDirection | null;
}

@InputType({ description: "Filter of the transactions of an address on one chain. Items fulfil all conditions." })
export class AddressTransactionFilter extends AddressTransferFilter {
  @Field(() => TransactionStatusFilter, { nullable: true, description: STATUS })
  status?: TransactionStatusFilter | null;
}

@InputType({ description: "Filter of the calls of a method on one chain. Items fulfil all conditions." })
export class MethodCallFilter extends BlockRangeFilter {
  @Field(() => TransferDirection, { nullable: true, description: DIRECTION })
  direction?: TransferDirection | null;
}

@InputType({ description: "Filter of a list over several chains. Items fulfil all conditions." })
export class ChainsFilter extends TimeFilter {
  @Field(() => [String], {
    nullable: true,
    description:
      "Filter by chain: EVM chain ids or blockchain ids. Absent or empty: all chains of which a block is indexed. The list fails with `UNAVAILABLE` if no block of a named chain is indexed.",
  })
  chains?: readonly string[] | null;
}

@InputType({ description: "Filter of the transfers of an address over several chains. Items fulfil all conditions." })
export class AccountTransferFilter extends ChainsFilter {
  @Field(() => TransferDirection, { nullable: true, description: DIRECTION })
  direction?: TransferDirection | null;
}

@InputType({ description: "Filter of the calls of a method over several chains. Items fulfil all conditions." })
export class AccountMethodCallFilter extends ChainsFilter {
  @Field(() => TransferDirection, { nullable: true, description: DIRECTION })
  direction?: TransferDirection | null;
}

@InputType({
  description: "Filter of the transactions of an address over several chains. Items fulfil all conditions.",
})
export class AccountTransactionFilter extends AccountTransferFilter {
  @Field(() => TransactionStatusFilter, { nullable: true, description: STATUS })
  status?: TransactionStatusFilter | null;
}

export const directionOf = ({ direction }: { readonly direction?: TransferDirection | null }): Direction =>
  direction ?? "BOTH";

/** The chains of a filter, by number. Without names, they are all configured chains. Throws `NOT_FOUND` for an unknown chain. */
export function chainsOf({ chains }: ChainsFilter, context: { readonly configuredChains: Chains }): ListedChains {
  const areNamed = (chains ?? []).length > 0;
  const ids = areNamed
    ? (chains ?? []).map((chainId) => findChainId(chainId, context))
    : context.configuredChains.all.map(({ chainId }) => String(chainId));
  return { chainIds: [...new Set(ids)].sort((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1)), areNamed };
}

/** End of the descriptions of lists over several chains. */
export const OF_CHAINS =
  "newest first by the time of their blocks. Of a chain that is still being indexed, the list has what is indexed so far; see `Chain.indexing`. Null, with the error `UNAVAILABLE`, if no block of a chain that the filter names is indexed, or of any chain.";

/** A list over the chains and times of a filter. `key` is what the list is of. Throws like `chainsOf`. */
export const parentOf = (
  filter: ChainsFilter,
  key: readonly string[],
  context: { readonly configuredChains: Chains },
): ChainsParent => ({ ...chainsOf(filter, context), key, times: timesOf(filter) });
