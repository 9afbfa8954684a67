import { Field, ObjectType, registerEnumType } from "type-graphql";

export const TransactionMethodType = {
  NATIVE_TRANSFER: "NATIVE_TRANSFER",
  CONTRACT_CALL: "CONTRACT_CALL",
  CONTRACT_CREATION: "CONTRACT_CREATION",
} as const;
export type TransactionMethodType = keyof typeof TransactionMethodType;

registerEnumType(TransactionMethodType, {
  name: "TransactionMethodType",
  description: "What a transaction asks for.",
  valuesConfig: {
    NATIVE_TRANSFER: { description: "It has a receiver and no call data." },
    CONTRACT_CALL: { description: "It has a receiver and call data." },
    CONTRACT_CREATION: { description: "It has no receiver: its call data makes a contract." },
  },
});

@ObjectType({ description: "What a transaction asks for.", simpleResolvers: true })
export class Method {
  @Field(() => TransactionMethodType, { description: "Kind." })
  callType!: TransactionMethodType;

  @Field(() => String, {
    description:
      "Of a call its selector: the first four bytes of its call data, or fewer where there are no more. Empty of other kinds.",
  })
  methodHash!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "Of a call the signature with that selector, such as `transfer(address,uint256)`; null when none is known. `Native Transfer` and `Contract Created` of other kinds.",
  })
  methodName!: string | null;
}
