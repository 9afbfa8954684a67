import { ArgsType, Directive, Field, ObjectType } from "type-graphql";
import { Address } from "../../../core/scalars.ts";

@ObjectType({
  description: "A contract that was created on a chain, or emitted a transfer of a token.",
  simpleResolvers: true,
})
@Directive('@key(fields: "chainId address")')
export class Contract {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "Its address." })
  address!: string;
}

@ArgsType()
export class ContractArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "Its address." })
  address!: string;
}
