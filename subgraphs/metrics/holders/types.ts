import { ArgsType, Field, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Address, SignedQuantity } from "../../../core/graph/scalars.ts";
import { StateAt } from "../../shared/schema/state-at.ts";
import type { ContractState } from "../contract-calls/approximate.ts";
import { MAX_HOLDERS } from "./keys.ts";
import { HolderOrder, ORDER_BY } from "./order.ts";

@ObjectType({ description: "An address with its balance of an ERC-20 token." })
export class Erc20Holder {
  @Field(() => Address, { description: "The address." })
  address!: string;

  @Field(() => SignedQuantity, {
    description:
      "Balance in the token's smallest unit, summed from the token's transfer events and, for a wrapped native token (setting `wrappedNativeTokens`), its deposit and withdrawal events. It can be negative if the contract changes balances without events.",
  })
  balance!: string;

  /** The contract after the block that `balance` includes; no field of the graph. */
  readonly state!: ContractState;
}

@ObjectType({ description: "A page of holders." })
export class Erc20HolderConnection extends Connection(
  Erc20Holder,
  "Holders. The field that returns the page describes their order.",
) {}

@ArgsType()
export class HoldersArgs extends ConnectionArgs({ max: MAX_HOLDERS, initial: 100 }) {
  @Field(() => StateAt, {
    nullable: true,
    description:
      "Block of the balances, which all pages of the list have. Default: the last indexed block at the time of each page.",
  })
  at?: StateAt | null;

  @Field(() => HolderOrder, { defaultValue: HolderOrder.BALANCE, description: ORDER_BY })
  orderBy!: HolderOrder;
}
