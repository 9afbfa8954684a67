import { Directive, Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { Address, Quantity } from "../../../core/scalars.ts";
import type { Erc20Token as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows.ts";

export type Erc20TokenRow = TextRow<Row>;

export const MetadataStatus = { PENDING: "PENDING", INDEXED: "INDEXED" } as const;

registerEnumType(MetadataStatus, {
  name: "MetadataStatus",
  description: "Whether a contract was asked what it says of itself.",
  valuesConfig: {
    PENDING: { description: "It is still to be asked." },
    INDEXED: { description: "It was asked, whatever it answered." },
  },
});

@ObjectType({ description: "A contract that emitted ERC-20 transfers.", simpleResolvers: true })
@Directive('@key(fields: "chainId address")')
export class Erc20Token implements Erc20TokenRow {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "The contract." })
  address!: string;

  @Field(() => String, { description: "Name; empty when the contract gives none." })
  name!: string;

  @Field(() => String, { description: "Symbol; empty when the contract gives none." })
  symbol!: string;

  @Field(() => Int, { description: "Decimals; 0 when the contract gives none." })
  decimals!: number;

  @Field(() => String, { nullable: true, description: "Logo, when one is configured." })
  logoUri!: string | null;

  @Field(() => String, { description: "Standard: `ERC-20`." })
  ercType!: string;

  @Field(() => MetadataStatus, { description: "Whether the contract was asked for name, symbol and decimals." })
  metadataStatus!: string;

  @Field(() => Quantity, { description: "Block of its first transfer." })
  firstBlockNumber!: string;
}
