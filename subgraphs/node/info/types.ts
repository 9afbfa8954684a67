import { ArgsType, Field, ObjectType } from "type-graphql";
import { Hex, Integer, Quantity } from "../../../core/graph/scalars.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { Json } from "../../shared/schema/output-scalar.ts";
import { NodeId } from "../scalars.ts";

@ObjectType({ description: "BLS key of a node, with its proof of possession." })
export class NodePop {
  @Field(() => Hex, { description: "BLS public key (48 bytes)." })
  publicKey!: string;

  @Field(() => Hex, { description: "BLS proof of possession: signature of the public key (96 bytes)." })
  proofOfPossession!: string;
}

@ObjectType({ description: "Version of a virtual machine." })
class VmVersion {
  @Field(() => String, { description: "Alias of the virtual machine, or its id if it has no alias." })
  name!: string;

  @Field(() => String, { description: "Version." })
  version!: string;
}

@ObjectType({ description: "Versions of a node's software." })
export class NodeVersion {
  @Field(() => String, { description: "Version of the node, such as `avalanchego/1.14.2`." })
  version!: string;

  @Field(() => String, { description: "Version of the database format." })
  databaseVersion!: string;

  @Field(() => String, {
    description:
      "Version of the protocol between the node and its virtual machines. Empty if the node's version does not return it.",
  })
  rpcProtocolVersion!: string;

  @Field(() => String, { description: "Git commit of the build. Empty if unknown." })
  gitCommit!: string;

  @Field(() => [VmVersion], { description: "Versions of the virtual machines, in the node's order." })
  vmVersions!: VmVersion[];
}

@ObjectType({
  description:
    "Static transaction fees in nAVAX. Only `txFee` and `createAssetTxFee` are still charged, both on the X-Chain.",
})
export class TxFees {
  @Field(() => Quantity, { description: "Fee of an X-Chain transaction." })
  txFee!: string;

  @Field(() => Quantity, { description: "Fee of a transaction that creates an asset on the X-Chain." })
  createAssetTxFee!: string;

  @Field(() => Quantity, { description: "Fee of creating a subnet; no longer charged." })
  createSubnetTxFee!: string;

  @Field(() => Quantity, { description: "Fee of transforming a subnet into an elastic subnet; no longer charged." })
  transformSubnetTxFee!: string;

  @Field(() => Quantity, { description: "Fee of creating a blockchain; no longer charged." })
  createBlockchainTxFee!: string;

  @Field(() => Quantity, { description: "Fee of adding a primary network validator; no longer charged." })
  addPrimaryNetworkValidatorFee!: string;

  @Field(() => Quantity, { description: "Fee of adding a primary network delegator; no longer charged." })
  addPrimaryNetworkDelegatorFee!: string;

  @Field(() => Quantity, { description: "Fee of adding a subnet validator; no longer charged." })
  addSubnetValidatorFee!: string;

  @Field(() => Quantity, { description: "Fee of adding a subnet delegator; no longer charged." })
  addSubnetDelegatorFee!: string;
}

@ObjectType({ description: "A virtual machine that is installed on a node." })
export class NodeVm {
  @Field(() => String, { description: "Id of the virtual machine." })
  vmId!: string;

  @Field(() => [String], { description: "Aliases of the virtual machine." })
  aliases!: string[];
}

@ObjectType({ description: "A feature extension that is installed on a node." })
export class NodeFx {
  @Field(() => String, { description: "Id of the feature extension." })
  fxId!: string;

  @Field(() => String, { description: "Name of the feature extension." })
  name!: string;
}

@ObjectType({ description: "Preferences of the connected validators on one ACP (Avalanche Community Proposal)." })
export class AcpPreferences {
  @Field(() => String, { description: "Number of the ACP." })
  acp!: string;

  @Field(() => Quantity, { description: "Stake of the validators that support the ACP." })
  supportWeight!: string;

  @Field(() => [NodeId], { description: "Validators that support the ACP." })
  supporters!: string[];

  @Field(() => Quantity, { description: "Stake of the validators that object to the ACP." })
  objectWeight!: string;

  @Field(() => [NodeId], { description: "Validators that object to the ACP." })
  objectors!: string[];

  @Field(() => Quantity, { description: "Stake of all other validators." })
  abstainWeight!: string;
}

@ObjectType({ description: "Uptime of a node as observed by its peers, weighted by stake." })
export class NodeUptime {
  @Field(() => String, {
    description:
      "Stake of the validators that observe an uptime of this node that is high enough for a reward, in percent of the total stake.",
  })
  rewardingStakePercentage!: string;

  @Field(() => String, { description: "Stake-weighted average of the observed uptimes, in percent." })
  weightedAveragePercentage!: string;
}

const upgrade = (name: string) => ({ nullable: true, description: `Activation time of ${name} (RFC 3339).` }) as const;

@ObjectType({
  description:
    "Activation times of network upgrades. A time is null if the node's version does not know the upgrade. A time in the year 9999 means that the upgrade is not scheduled.",
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
    description: "Minimum P-Chain height that blocks refer to after Apricot Phase 4.",
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

  @Field(() => String, {
    nullable: true,
    description: "Id of the last X-Chain vertex before the chain was linearized.",
  })
  cortinaXChainStopVertexId!: string | null;

  @Field(() => String, upgrade("Durango"))
  durangoTime!: string | null;

  @Field(() => String, upgrade("Etna"))
  etnaTime!: string | null;

  @Field(() => String, upgrade("Fortuna"))
  fortunaTime!: string | null;

  @Field(() => String, upgrade("Granite"))
  graniteTime!: string | null;

  @Field(() => Quantity, { nullable: true, description: "Duration of an epoch after Granite, in nanoseconds." })
  graniteEpochDuration!: string | null;

  @Field(() => String, upgrade("Helicon"))
  heliconTime!: string | null;

  @Field(() => Json, {
    nullable: true,
    description: "Members of the node's answer that this version of Moraine does not know. Null if there are none.",
  })
  more!: Readonly<Record<string, unknown>> | null;
}

@ArgsType()
export class NodeArgs {
  @Field(() => NetworkName, {
    nullable: true,
    description: "Network. Default: the network that `/ext/info` serves (setting `nodeInterface.network`).",
  })
  network?: NetworkName | null;
}
