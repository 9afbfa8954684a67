import { Field, ObjectType, registerEnumType } from "type-graphql";
import { Hex } from "../../../core/graph/scalars.ts";
import { Json } from "../../shared/schema/output-scalar.ts";

const AbiSource = {
  CONTRACT: "CONTRACT",
  IMPLEMENTATION: "IMPLEMENTATION",
  SHARED: "SHARED",
  BUNDLED: "BUNDLED",
} as const;
export type AbiSource = keyof typeof AbiSource;

registerEnumType(AbiSource, {
  name: "AbiSource",
  description:
    "Where the ABI is from by which data was decoded. The first source that decodes the data is used, in this order.",
  valuesConfig: {
    CONTRACT: { description: "The operator added the ABI for this contract." },
    IMPLEMENTATION: {
      description: "The contract is a proxy, and the operator added the ABI for its current implementation.",
    },
    SHARED: { description: "The operator added the ABI for all contracts." },
    BUNDLED: {
      description:
        "A published interface that Moraine knows, such as ERC-20. Another method or event can have the same selector, so the name is not certain.",
    },
  },
});

@ObjectType({ description: "A decoded parameter of a function or error." })
export class DecodedParameter {
  @Field(() => String, { nullable: true, description: "Name of the parameter; null if the ABI has none." })
  name!: string | null;

  @Field(() => String, {
    description: "ABI type, such as `uint256`. A tuple is the list of its types, such as `(address,uint256)[]`.",
  })
  type!: string;

  @Field(() => Json, {
    description:
      "Value. Integers are decimal strings, addresses have the EIP-55 checksum, other bytes are `0x` hex. An array is a list. A tuple is an object by the names of its components, or a list if they have no distinct names.",
  })
  value!: unknown;
}

@ObjectType({ description: "A decoded parameter of an event." })
export class DecodedEventParameter extends DecodedParameter {
  @Field(() => Boolean, { description: "True if the parameter is a topic of the log." })
  isIndexed!: boolean;

  @Field(() => Boolean, {
    description:
      "True if `value` is only the Keccak-256 hash of the value: an indexed parameter of a dynamic type is logged in this way.",
  })
  isHashed!: boolean;
}

/** What decoded calls, events and errors have in common. */
@ObjectType()
abstract class DecodedEntry {
  @Field(() => String, { description: "Name, such as `transfer`." })
  name!: string;

  @Field(() => String, { description: "Signature, such as `transfer(address,uint256)`." })
  signature!: string;

  @Field(() => AbiSource, { description: "Where the ABI is from." })
  abiSource!: AbiSource;
}

@ObjectType({ description: "A decoded call of a contract." })
export class DecodedCall extends DecodedEntry {
  @Field(() => [DecodedParameter], { description: "Arguments, in the order of the declaration." })
  parameters!: DecodedParameter[];
}

@ObjectType({ description: "A decoded event." })
export class DecodedEvent extends DecodedEntry {
  @Field(() => [DecodedEventParameter], { description: "Parameters, in the order of the declaration." })
  parameters!: DecodedEventParameter[];
}

@ObjectType({ description: "A decoded error of a contract." })
class DecodedError extends DecodedEntry {
  @Field(() => [DecodedParameter], { description: "Parameters, in the order of the declaration." })
  parameters!: DecodedParameter[];
}

@ObjectType({ description: "Why a transaction failed." })
export class RevertReason {
  @Field(() => String, { description: "The node's words, such as `execution reverted` or `out of gas`." })
  error!: string;

  @Field(() => Hex, {
    nullable: true,
    description:
      "What the transaction returned. Null if it returned nothing, if it is longer than 8,192 bytes, or if the call tree was stored by a version of Moraine that did not keep it.",
  })
  output!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The reason as text: the text of `Error(string)`, or the meaning of the code of `Panic(uint256)`. Null for other errors.",
  })
  message!: string | null;

  @Field(() => DecodedError, {
    nullable: true,
    description:
      "The error that `output` encodes, by the ABI of the contract that the transaction called. Null if no known ABI has it.",
  })
  decodedError!: DecodedError | null;
}
