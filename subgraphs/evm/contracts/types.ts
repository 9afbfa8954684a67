import { ArgsType, Directive, Field, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { Address } from "../../../core/graph/scalars.ts";

@ObjectType({ description: "A contract whose creation is indexed, or that emitted a token transfer." })
@Directive('@key(fields: "chainId address")')
export class Contract {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the contract." })
  address!: string;
}

@ObjectType({ description: "A page of contracts." })
export class ContractConnection extends Connection(Contract, "Contracts, newest first.") {}

@ArgsType()
export class ContractArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the contract." })
  address!: string;
}
