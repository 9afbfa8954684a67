import { ArgsType, Field, ObjectType } from "type-graphql";
import { Hex, Integer, Quantity } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/network-name.ts";
import { Json, NodeId } from "../scalars.ts";
import type { Info } from "./info.ts";

@ObjectType({
  description: "A node of a network, as its Info interface speaks of it. Each field is asked for only when selected.",
})
export class Node {
  /** Who answers. */
  info!: Info;
}

@ObjectType({ description: "A node's BLS key, and the proof that it has it.", simpleResolvers: true })
export class NodePop {
  @Field(() => Hex, { description: "Public key: 48 bytes." })
  publicKey!: string;

  @Field(() => Hex, { description: "Signature of the public key: 96 bytes." })
  proofOfPossession!: string;
}

@ObjectType({ description: "Version of a virtual machine that a node runs.", simpleResolvers: true })
export class VmVersion {
  @Field(() => String, { description: "Its alias, or its id where it has none." })
  name!: string;

  @Field(() => String, { description: "Version." })
  version!: string;
}

@ObjectType({ description: "What a node runs.", simpleResolvers: true })
export class NodeVersion {
  @Field(() => String, { description: "Release, such as `avalanchego/1.14.2`." })
  version!: string;

  @Field(() => String, { description: "Version of its database." })
  databaseVersion!: string;

  @Field(() => String, { description: "Version of the protocol between it and its virtual machines." })
  rpcProtocolVersion!: string;

  @Field(() => String, { description: "Commit that it was built from; empty where it was not told." })
  gitCommit!: string;

  @Field(() => [VmVersion], { description: "Virtual machines, in the node's order." })
  vmVersions!: VmVersion[];
}

@ObjectType({
  description: "Fees in nAVAX. Only `txFee` and `createAssetTxFee` are still charged, on the X-Chain.",
  simpleResolvers: true,
})
export class TxFees {
  @Field(() => Quantity, { description: "Of a transaction of the X-Chain." })
  txFee!: string;

  @Field(() => Quantity, { description: "Of creating an asset on the X-Chain." })
  createAssetTxFee!: string;

  @Field(() => Quantity, { description: "Of creating a subnet; no longer used." })
  createSubnetTxFee!: string;

  @Field(() => Quantity, { description: "Of making a subnet one that is staked on; no longer used." })
  transformSubnetTxFee!: string;

  @Field(() => Quantity, { description: "Of creating a blockchain; no longer used." })
  createBlockchainTxFee!: string;

  @Field(() => Quantity, { description: "Of adding a validator of the primary network; no longer used." })
  addPrimaryNetworkValidatorFee!: string;

  @Field(() => Quantity, { description: "Of delegating on the primary network; no longer used." })
  addPrimaryNetworkDelegatorFee!: string;

  @Field(() => Quantity, { description: "Of adding a validator of a subnet; no longer used." })
  addSubnetValidatorFee!: string;

  @Field(() => Quantity, { description: "Of delegating on a subnet; no longer used." })
  addSubnetDelegatorFee!: string;
}

@ObjectType({ description: "A virtual machine that a node has.", simpleResolvers: true })
export class NodeVm {
  @Field(() => String, { description: "Id." })
  vmId!: string;

  @Field(() => [String], { description: "Names beside its id." })
  aliases!: string[];
}

@ObjectType({ description: "A feature extension that a node has.", simpleResolvers: true })
export class NodeFx {
  @Field(() => String, { description: "Id." })
  fxId!: string;

  @Field(() => String, { description: "Name." })
  name!: string;
}

@ObjectType({
  description: "What validators that a node is connected to prefer of a community proposal.",
  simpleResolvers: true,
})
export class AcpPreferences {
  @Field(() => String, { description: "Number of the proposal." })
  acp!: string;

  @Field(() => Quantity, { description: "Stake of those who support it." })
  supportWeight!: string;

  @Field(() => [NodeId], { description: "Who they are." })
  supporters!: string[];

  @Field(() => Quantity, { description: "Stake of those who object." })
  objectWeight!: string;

  @Field(() => [NodeId], { description: "Who they are." })
  objectors!: string[];

  @Field(() => Quantity, { description: "Stake of all others." })
  abstainWeight!: string;
}

@ObjectType({ description: "How a node is up, as its peers say, weighed by their stake.", simpleResolvers: true })
export class NodeUptime {
  @Field(() => String, {
    description: "Share of the stake that takes it for up often enough to be rewarded, in percent.",
  })
  rewardingStakePercentage!: string;

  @Field(() => String, { description: "Mean of the uptimes that they observed, in percent." })
  weightedAveragePercentage!: string;
}

const upgrade = (name: string) =>
  ({ nullable: true, description: `When ${name} becomes active, as RFC 3339.` }) as const;

@ObjectType({
  description:
    "When upgrades of a network become active; null of one that the node's release does not know. Year 9999: nobody has set a time.",
  simpleResolvers: true,
})
export class NetworkUpgrades {
  @Field(() => String, upgrade("Apricot Phase 1"))
  apricotPhase1Time!: string | null;

  @Field(() => String, upgrade("Apricot Phase 2"))
  apricotPhase2Time!: string | null;

  @Field(() => String, upgrade("Apricot Phase 3"))
  apricotPhase3Time!: string | null;

  @Field(() => String, upgrade("Apricot Phase 4"))
  apricotPhase4Time!: string | null;

  @Field(() => Integer, {
    nullable: true,
    description: "Least P-Chain height that blocks name from Apricot Phase 4 on.",
  })
  apricotPhase4MinPChainHeight!: number | null;

  @Field(() => String, upgrade("Apricot Phase 5"))
  apricotPhase5Time!: string | null;

  @Field(() => String, upgrade("Apricot Phase Pre-6"))
  apricotPhasePre6Time!: string | null;

  @Field(() => String, upgrade("Apricot Phase 6"))
  apricotPhase6Time!: string | null;

  @Field(() => String, upgrade("Apricot Phase Post-6"))
  apricotPhasePost6Time!: string | null;

  @Field(() => String, upgrade("Banff"))
  banffTime!: string | null;

  @Field(() => String, upgrade("Cortina"))
  cortinaTime!: string | null;

  @Field(() => String, { nullable: true, description: "Vertex with which the X-Chain became a chain of blocks." })
  cortinaXChainStopVertexId!: string | null;

  @Field(() => String, upgrade("Durango"))
  durangoTime!: string | null;

  @Field(() => String, upgrade("Etna"))
  etnaTime!: string | null;

  @Field(() => String, upgrade("Fortuna"))
  fortunaTime!: string | null;

  @Field(() => String, upgrade("Granite"))
  graniteTime!: string | null;

  @Field(() => Quantity, { nullable: true, description: "Length of an epoch from Granite on, in nanoseconds." })
  graniteEpochDuration!: string | null;

  @Field(() => String, upgrade("Helicon"))
  heliconTime!: string | null;

  @Field(() => Json, {
    nullable: true,
    description: "Members that this release does not know; null when there are none.",
  })
  more!: Readonly<Record<string, unknown>> | null;
}

@ArgsType()
export class NodeArgs {
  @Field(() => NetworkName, {
    nullable: true,
    description: "Network. Default: the one whose node interface is served.",
  })
  network?: NetworkName | null;
}
