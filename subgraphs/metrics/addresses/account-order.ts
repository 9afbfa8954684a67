import { Field, InputType, registerEnumType } from "type-graphql";
import { SortOrder } from "../../shared/schema/sort-order.ts";

const AccountOrderField = { TRANSACTIONS: "TRANSACTIONS" } as const;
type AccountOrderField = keyof typeof AccountOrderField;

registerEnumType(AccountOrderField, {
  name: "AccountOrderField",
  description: "Number by which addresses are ordered.",
  valuesConfig: { TRANSACTIONS: { description: "Number of transactions, as in `EvmAddress.transactionCount`." } },
});

@InputType({ description: "Order of addresses. Equal numbers are ordered by address, in the same direction." })
export class AccountOrder {
  @Field(() => AccountOrderField, { description: "The number." })
  field!: AccountOrderField;

  @Field(() => SortOrder, { defaultValue: "desc", description: "Direction." })
  direction!: SortOrder;
}
