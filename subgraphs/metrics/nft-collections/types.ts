import { ArgsType, Directive, Field, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Address, SignedQuantity } from "../../../core/graph/scalars.ts";
import { StateAt } from "../../shared/schema/state-at.ts";
import { MAX_HOLDERS } from "../holders/keys.ts";
import { HOLDERS_AT, HolderOrder, NFT_ORDER_BY } from "../holders/order.ts";

/** A contract that emitted NFT transfers; the evm subgraph owns it. */
@ObjectType({ description: "A contract that emitted ERC-721 or ERC-1155 transfers." })
@Directive('@key(fields: "chainId address")')
export class NftCollection {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the contract." })
  address!: string;
}

@ObjectType({ description: "An address with the number of tokens of a collection that it holds." })
export class NftHolder {
  @Field(() => Address, { description: "The address." })
  address!: string;

  @Field(() => SignedQuantity, {
    description: "Number of tokens, of all token ids together, summed from the collection's transfer events.",
  })
  balance!: string;

  /** No field of the graph. */
  readonly chainId!: string;
}

@ObjectType({ description: "A page of holders of a collection." })
export class NftHolderConnection extends Connection(
  NftHolder,
  "Holders. The field that returns the page describes their order.",
) {}

@ArgsType()
export class NftHoldersArgs extends ConnectionArgs({ max: MAX_HOLDERS, initial: 100 }) {
  @Field(() => StateAt, { nullable: true, description: HOLDERS_AT })
  at?: StateAt | null;

  @Field(() => HolderOrder, { nullable: true, description: NFT_ORDER_BY })
  orderBy?: HolderOrder | null;
}
