import { Field, ObjectType } from "type-graphql";
import { Price } from "../../shared/price.ts";
import { NetworkToken } from "../chains/types.ts";

@ObjectType({ description: "A chain's own token, and what a whole one costs.", simpleResolvers: true })
export class NetworkTokenDetails {
  @Field(() => NetworkToken, { description: "The token." })
  networkToken!: NetworkToken;

  @Field(() => Price, { nullable: true, description: "What it costs now; null when that is not known." })
  currentPrice!: Price | null;

  @Field(() => Price, { nullable: true, description: "What it cost at the time in question; null when not known." })
  historicalPrice!: Price | null;
}
