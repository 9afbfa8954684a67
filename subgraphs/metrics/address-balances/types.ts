import { ArgsType, Field, ObjectType } from "type-graphql";
import { PageArgs } from "../../../core/graph/page.ts";
import { SignedQuantity } from "../../../core/graph/scalars.ts";
import type { ContractState } from "../contract-calls/approximate.ts";
import type { Erc20BalanceRow } from "./store.ts";

@ObjectType({ description: "How much of an ERC-20 token an address holds after the last indexed block." })
export class Erc20TokenBalance implements Erc20BalanceRow {
  chainId!: string;
  /** The holder; no field of the graph. */
  address!: string;
  tokenAddress!: string;
  decimals!: number | null;
  /** The contract after the last indexed block; no field of the graph. */
  readonly state!: ContractState;

  @Field(() => SignedQuantity, {
    description:
      "Amount, in the token's smallest unit, summed from the token's transfer events and, for a wrapped native token (setting `wrappedNativeTokens`), its deposit and withdrawal events; always above 0. It differs from the contract's `balanceOf` if the contract changes balances without events: see `isApproximate`.",
  })
  balance!: string;
}

@ObjectType({ description: "A page of balances." })
export class Erc20TokenBalancePage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last page." })
  nextPageToken!: string | null;

  @Field(() => [Erc20TokenBalance], { description: "Balances, by ascending address of the token." })
  balances!: Erc20TokenBalance[];
}

@ArgsType()
export class Erc20BalancesArgs extends PageArgs({ max: 100, initial: 100 }) {}
