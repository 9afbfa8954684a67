import { ArgsType, Directive, Field, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { Address, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import type { EvmAddress as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";

@ObjectType({
  description:
    "An address on one EVM chain: an account or a contract. Every address exists on every chain, even if nothing is known of the address.",
})
@Directive('@key(fields: "chainId address")')
export class EvmAddress implements Pick<TextRow<Row>, "chainId" | "address"> {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "The address." })
  address!: string;
}

@ObjectType({ description: "A page of addresses of one EVM chain." })
export class EvmAddressConnection extends Connection(EvmAddress, "Addresses, in the order of the list.") {}

@ObjectType({ description: "Number and timestamp of a block." })
export class BlockReference {
  chainId!: string;

  @Field(() => Quantity, { description: "Number of the block." })
  blockNumber!: string;

  @Field(() => Timestamp, { description: "Timestamp of the block." })
  blockTimestamp!: string;
}

@ArgsType()
export class AddressArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "The address." })
  address!: string;
}
