import { Directive, Field, ObjectType } from "type-graphql";
import { Address } from "../../../core/graph/scalars.ts";

@ObjectType({
  description:
    "An address on all EVM chains: its lists are those of all chains together, newest first. `EvmAddress` is the address on one chain.",
})
@Directive('@key(fields: "address")')
export class EvmAccount {
  @Field(() => Address, { description: "The address." })
  address!: string;
}
