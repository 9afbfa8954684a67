import { ArgsType, Field, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { SignedQuantity } from "../../../core/graph/scalars.ts";
import { StateAt } from "../../shared/schema/state-at.ts";
import type { ContractState } from "../contract-calls/approximate.ts";
import type { Erc20BalanceRow } from "./store.ts";

@ObjectType({ description: "How much of an ERC-20 token an address holds after a block." })
export class Erc20TokenBalance implements Erc20BalanceRow {
  chainId!: string;
  /** The holder; no field of the graph. */
  address!: string;
  tokenAddress!: string;
  decimals!: number | null;
  /** The contract after the block; no field of the graph. */
  readonly state!: ContractState;
  /** Time of the price, in seconds; null for the current price. No field of the graph. */
  readonly pricedAt!: string | null;

  @Field(() => SignedQuantity, {
    description:
      "Amount, in the token's smallest unit, summed from the token's transfer events and, for a wrapped native token (setting `wrappedNativeTokens`), its deposit and withdrawal events; always above 0. It differs from the contract's `balanceOf` if the contract changes balances without events: see `isApproximate`.",
  })
  balance!: string;
}

@ObjectType({ description: "A page of balances." })
export class Erc20TokenBalanceConnection extends Connection(
  Erc20TokenBalance,
  "Balances, by ascending address of the token.",
) {}

@ArgsType()
export class Erc20BalancesArgs extends ConnectionArgs({ max: 100, initial: 100 }) {
  @Field(() => StateAt, {
    nullable: true,
    description:
      "Block of the balances, which all pages of the list have. Prices are those at the timestamp of the block. Default: the last indexed block at the time of each page, with current prices.",
  })
  at?: StateAt | null;
}
