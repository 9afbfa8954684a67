import { Directive, Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { Address, Quantity } from "../../../core/graph/scalars.ts";
import type { Erc20Token as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { RestOnly } from "../../shared/schema/rest-only.ts";

export type Erc20TokenRow = TextRow<Row>;

export const MetadataStatus = { PENDING: "PENDING", UNAVAILABLE: "UNAVAILABLE", INDEXED: "INDEXED" } as const;

registerEnumType(MetadataStatus, {
  name: "MetadataStatus",
  description: "Whether the metadata of a contract was read.",
  valuesConfig: {
    PENDING: { description: "The metadata is still to be read." },
    UNAVAILABLE: {
      description:
        "The chain's node could not call the contract. The calls are repeated with growing pauses of at most one hour.",
    },
    INDEXED: { description: "The contract was asked for its metadata. It may have returned nothing." },
  },
});

@ObjectType({ description: "A contract that emitted ERC-20 transfers." })
@Directive('@key(fields: "chainId address")')
export class Erc20Token implements Erc20TokenRow {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the contract." })
  address!: string;

  @Field(() => String, { description: "Name; empty if the contract has none, or if its metadata is not indexed yet." })
  name!: string;

  @Field(() => String, {
    description: "Symbol; empty if the contract has none, or if its metadata is not indexed yet.",
  })
  symbol!: string;

  @Field(() => Int, { description: "Decimals; 0 if the contract has none, or if its metadata is not indexed yet." })
  decimals!: number;

  @Field(() => String, { nullable: true, description: "URI of the logo, if the configuration has one for the token." })
  logoUri!: string | null;

  @RestOnly()
  @Field(() => String, { description: "Token standard: `ERC-20`." })
  ercType!: string;

  @Field(() => MetadataStatus, { description: "Whether name, symbol and decimals were read." })
  metadataStatus!: string;

  @Field(() => Quantity, { description: "Block of the token's first transfer." })
  firstBlockNumber!: string;
}

@ObjectType({ description: "A page of ERC-20 tokens." })
export class Erc20TokenConnection extends Connection(Erc20Token, "Tokens, in the order of the list.") {}
