import { ArgsType, Directive, Field, Int, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { Address, Hash, Quantity } from "../../../core/graph/scalars.ts";
import type { EvmDeployment as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";

@ObjectType({ description: "The creation of a contract." })
@Directive('@key(fields: "chainId address blockNumber blockIndex traceIndex")')
export class Deployment implements Omit<TextRow<Row>, "implementation"> {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the contract." })
  address!: string;

  @Field(() => Quantity, { description: "Number of the block." })
  blockNumber!: string;

  @Field(() => Int, { description: "Index of the transaction in the block." })
  blockIndex!: number;

  @Field(() => Int, {
    description:
      "Position in the transaction's call tree, depth first; 0 if the transaction itself creates the contract.",
  })
  traceIndex!: number;

  @Field(() => Hash, { description: "Hash of the transaction." })
  txHash!: string;

  @Field(() => Address, { description: "Creator: the sender of the transaction, or a contract." })
  creator!: string;

  @Field(() => String, { description: "Opcode: `CREATE` or `CREATE2`." })
  opcode!: string;
}

@ObjectType({ description: "A page of deployments." })
export class DeploymentConnection extends Connection(
  Deployment,
  "Deployments. In `Contract.deployments` they are newest first. In `EvmTransaction.deployments` they are in the order of the call tree.",
) {}

@ArgsType()
export class DeploymentArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the contract." })
  address!: string;
}
