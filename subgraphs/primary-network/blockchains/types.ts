import { ArgsType, Directive, Field, ObjectType } from "type-graphql";
import { Quantity, SignedQuantity, Timestamp } from "../../../core/graph/scalars.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { Id } from "../identifiers/scalars.ts";

/** Primary key of a blockchain's row. */
export interface BlockchainKey {
  /** Decimal text. */
  readonly networkId: string;
  /** `0x` hex. */
  readonly blockchainId: string;
}

@ObjectType({ description: "A blockchain registered on the P-Chain, or the P-Chain itself." })
@Directive('@key(fields: "network blockchainId")')
export class Blockchain {
  key!: BlockchainKey;

  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Blockchain ID: the ID of the CreateChainTx. All zeros for the P-Chain." })
  blockchainId!: string;

  @Field(() => Timestamp, { description: "Time of creation." })
  createBlockTimestamp!: string;

  @Field(() => SignedQuantity, {
    description: "Height of the P-Chain block that created it. -1 for a chain of the genesis.",
  })
  createBlockNumber!: string;

  @Field(() => Id, { description: "ID of its virtual machine." })
  vmId!: string;

  @Field(() => Id, { description: "ID of the subnet that validates it." })
  subnetId!: string;

  @Field(() => String, { description: "Name chosen by its creator. Not unique." })
  blockchainName!: string;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "EVM chain ID in its genesis. Null if the genesis has none. Not verified: two blockchains can use the same ID.",
  })
  evmChainId!: string | null;
}

@ObjectType()
@Directive('@key(fields: "chainId")')
export class Chain {
  @Field(() => String)
  chainId!: string;
}

@ArgsType()
export class BlockchainArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Blockchain ID as CB58 or hex, or `p-chain`, `x-chain` or `c-chain`." })
  blockchainId!: string;
}
