import { ArgsType, Field, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Address, SignedQuantity } from "../../../core/graph/scalars.ts";
import { StateAt } from "../../shared/schema/state-at.ts";
import { HOLDERS_AT, HolderOrder, NFT_ORDER_BY } from "../holders/order.ts";

@ObjectType({ description: "An address with its balance of an ERC-1155 token." })
export class Erc1155Holder {
  @Field(() => Address, { description: "The address." })
  address!: string;

  @Field(() => SignedQuantity, {
    description: "Number of tokens, summed from the collection's transfer events; always above 0.",
  })
  balance!: string;

  /** No field of the graph. */
  readonly chainId!: string;
}

@ObjectType({ description: "A page of holders of an ERC-1155 token." })
export class Erc1155HolderConnection extends Connection(
  Erc1155Holder,
  "Holders. The field that returns the page describes their order.",
) {}

@ArgsType()
export class Erc1155HoldersArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => StateAt, { nullable: true, description: HOLDERS_AT })
  at?: StateAt | null;

  @Field(() => HolderOrder, { nullable: true, description: NFT_ORDER_BY })
  orderBy?: HolderOrder | null;
}

@ArgsType()
export class Erc1155BalanceArgs {
  @Field(() => Address, { description: "Address of the holder." })
  address!: string;

  @Field(() => StateAt, { nullable: true, description: "Block of the balance. Default: the last indexed block." })
  at?: StateAt | null;
}
