import { Field, ObjectType } from "type-graphql";
import { Address, Hex, Quantity, SignedQuantity, Timestamp } from "../../../core/graph/scalars.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { Json } from "../../shared/schema/output-scalar.ts";
import { AssetAmount } from "../assets/types.ts";
import { BlsCredentials } from "../credentials/bls-credentials.ts";
import type { Spent } from "../credentials/spent.ts";
import { Id, NodeId } from "../identifiers/scalars.ts";

@ObjectType({ description: "State of an L1 validator after a transaction that concerned it." })
export class L1ValidatorDetailsTransaction {
  network!: NetworkName;

  @Field(() => Id, { description: "Validation ID." })
  validationId!: string;

  @Field(() => Hex, { description: "Validation ID as hex." })
  validationIdHex!: string;

  @Field(() => NodeId, { description: "Node ID." })
  nodeId!: string;

  @Field(() => Id, { description: "Subnet ID." })
  subnetId!: string;

  @Field(() => Quantity, { description: "Weight in the L1." })
  weight!: string;

  @Field(() => Quantity, { description: "Remaining balance in nAVAX. 0 while inactive." })
  remainingBalance!: string;

  @Field(() => SignedQuantity, {
    nullable: true,
    description:
      "Change of the balance in nAVAX, negative if balance was returned. Null if the transaction did not change the balance.",
  })
  balanceChange!: string | null;

  @Field(() => BlsCredentials, { description: "BLS public key." })
  blsCredentials!: BlsCredentials;
}

@ObjectType({ description: "Blockchain that a CreateChainTx creates." })
export class BlockchainInfo {
  @Field(() => String, { description: "Blockchain name." })
  chainName!: string;

  @Field(() => Id, { description: "ID of its virtual machine." })
  vmId!: string;

  @Field(() => Json, {
    description:
      'Genesis. For an EVM chain, the members that the REST specification names; for any other chain `{"encoding": "hex", "data": "0x…"}`.',
  })
  genesisData!: object;
}

@ObjectType({ description: "Vertex that contains a transaction." })
export class TransactionVertex {
  network!: NetworkName;

  @Field(() => Id, { description: "Vertex ID." })
  hash!: string;

  @Field(() => Quantity, { description: "Height." })
  height!: string;

  @Field(() => Timestamp, { description: "Time of acceptance." })
  timestamp!: string;
}

@ObjectType({ description: "C-Chain account that an export debits." })
export class EvmInput {
  /** Identifies the account as an input of its transaction. */
  spent!: Spent;

  @Field(() => Address, { description: "Account." })
  fromAddress!: string;

  @Field(() => AssetAmount, { description: "Asset and amount." })
  asset!: AssetAmount;
}

@ObjectType({ description: "C-Chain account that an import credits." })
export class EvmOutput {
  network!: NetworkName;

  @Field(() => Address, { description: "Account." })
  toAddress!: string;

  @Field(() => AssetAmount, { description: "Asset and amount." })
  asset!: AssetAmount;
}
