import { ArgsType, Directive, Field, ObjectType } from "type-graphql";
import { Integer, SignedQuantity, Timestamp } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/network-name.ts";
import { Id } from "../identifiers/scalars.ts";
import type { BlockchainKey } from "./store.ts";

@ObjectType({ description: "A blockchain that the P-Chain knows of, and the P-Chain itself.", simpleResolvers: true })
@Directive('@key(fields: "network blockchainId")')
export class Blockchain {
  /** Its key in the tables. */
  key!: BlockchainKey;

  @Field(() => NetworkName, { description: "Its network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Id: of the CreateChainTx." })
  blockchainId!: string;

  @Field(() => Timestamp, { description: "When it was created." })
  createBlockTimestamp!: string;

  @Field(() => SignedQuantity, { description: "Block of the P-Chain that created it; -1 of a chain of the genesis." })
  createBlockNumber!: string;

  @Field(() => Id, { description: "Id of its virtual machine." })
  vmId!: string;

  @Field(() => Id, { description: "The subnet that validates it." })
  subnetId!: string;

  @Field(() => String, { description: "Name, as its creator chose it." })
  blockchainName!: string;

  @Field(() => Integer, {
    nullable: true,
    description:
      "EVM chain id that its genesis names; null of a genesis that names none. Nobody sees to it that it is one's own.",
  })
  evmChainId!: string | null;
}

@ObjectType({ description: "An EVM chain that is served.", simpleResolvers: true })
@Directive('@key(fields: "chainId")')
export class Chain {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;
}

@ArgsType()
export class BlockchainArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Id, as CB58 or hex; also `p-chain`, `x-chain` and `c-chain`." })
  blockchainId!: string;
}
