import { Field, InputType, registerEnumType } from "type-graphql";
import { SortOrder } from "../../shared/schema/sort-order.ts";

const TokenOrderField = { HOLDERS: "HOLDERS", TRANSFERS: "TRANSFERS" } as const;
export type TokenOrderField = keyof typeof TokenOrderField;

registerEnumType(TokenOrderField, {
  name: "TokenOrderField",
  description: "Number by which tokens or collections are ordered.",
  valuesConfig: {
    HOLDERS: { description: "Number of addresses that hold the token, or a token of the collection." },
    TRANSFERS: { description: "Number of transfers." },
  },
});

@InputType({
  description: "Order of tokens or collections. Equal numbers are ordered by address, in the same direction.",
})
export class TokenOrder {
  @Field(() => TokenOrderField, { description: "The number." })
  field!: TokenOrderField;

  @Field(() => SortOrder, { defaultValue: "desc", description: "Direction." })
  direction!: SortOrder;
}
