import { Field, InputType, registerEnumType } from "type-graphql";
import { SortDirection } from "../../shared/schema/sort-direction.ts";

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

  @Field(() => SortDirection, { defaultValue: SortDirection.DESC, description: "The direction." })
  direction!: SortDirection;
}
