import { Field, ObjectType } from "type-graphql";
import { Price } from "../../shared/prices/price.ts";
import { NetworkToken } from "../chains/types.ts";

@ObjectType({ description: "The native token of a chain, with the price of one whole token." })
export class NetworkTokenDetails {
  @Field(() => NetworkToken, { description: "The native token." })
  networkToken!: NetworkToken;

  @Field(() => Price, { nullable: true, description: "Current price; null if unknown." })
  currentPrice!: Price | null;

  @Field(() => Price, { nullable: true, description: "Price at the time of the transaction; null if unknown." })
  historicalPrice!: Price | null;
}
