import { ArgsType, Field, ObjectType, registerEnumType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { Id } from "../identifiers/scalars.ts";

const PrimaryChainExceptionKind = {
  MISSING_INPUT: "MISSING_INPUT",
  SPENT_INPUT: "SPENT_INPUT",
  NO_EFFECT: "NO_EFFECT",
} as const;
type PrimaryChainExceptionKind = keyof typeof PrimaryChainExceptionKind;

registerEnumType(PrimaryChainExceptionKind, {
  name: "PrimaryChainExceptionKind",
  description: "How a transaction that consensus accepted contradicts the indexed rows.",
  valuesConfig: {
    MISSING_INPUT: {
      description: "The output that an input names does not exist on the chain. The input changes nothing.",
    },
    SPENT_INPUT: {
      description: "Another transaction has consumed the output that an input names. The input changes nothing.",
    },
    NO_EFFECT: {
      description:
        "The transaction acts on a staker, subnet or L1 validation that does not exist or is in another state. This effect is left out.",
    },
  },
});

@ObjectType({ description: "Something that consensus accepted although the indexed rows contradict it." })
export class PrimaryChainException {
  network!: NetworkName;

  @Field(() => PrimaryChainExceptionKind, { description: "Kind of the contradiction." })
  kind!: PrimaryChainExceptionKind;

  @Field(() => Id, { description: "Transaction." })
  txHash!: string;

  @Field(() => Id, { nullable: true, description: "Output that the input names. Null for `NO_EFFECT`." })
  utxoId!: string | null;
}

@ObjectType({ description: "A page of exceptions of one chain." })
export class PrimaryChainExceptionConnection extends Connection(
  PrimaryChainException,
  "Exceptions in the order of their transactions.",
) {}

@ArgsType()
export class PrimaryChainExceptionsArgs extends ConnectionArgs({ max: 100, initial: 10 }) {}
