import { Field, ObjectType, registerEnumType } from "type-graphql";

const TransactionMethodType = {
  NATIVE_TRANSFER: "NATIVE_TRANSFER",
  CONTRACT_CALL: "CONTRACT_CALL",
  CONTRACT_CREATION: "CONTRACT_CREATION",
} as const;
type TransactionMethodType = keyof typeof TransactionMethodType;

registerEnumType(TransactionMethodType, {
  name: "TransactionMethodType",
  description: "Type of a transaction, by its recipient and call data.",
  valuesConfig: {
    NATIVE_TRANSFER: { description: "The transaction has a recipient and no call data." },
    CONTRACT_CALL: { description: "The transaction has a recipient and call data." },
    CONTRACT_CREATION: {
      description: "The transaction has no recipient; its call data is the init code of a contract.",
    },
  },
});

@ObjectType({ description: "Method that a transaction calls." })
export class Method {
  @Field(() => TransactionMethodType, { description: "Type of the transaction." })
  callType!: TransactionMethodType;

  @Field(() => String, {
    description:
      "Selector of a contract call: the first four bytes of the call data, or the whole call data if it is shorter. Empty for other types.",
  })
  methodHash!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "Signature that matches the selector of a contract call, such as `transfer(address,uint256)`; null if none is known. For other types `Native Transfer` or `Contract Created`.",
  })
  methodName!: string | null;
}
