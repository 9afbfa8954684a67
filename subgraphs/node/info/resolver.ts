import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Integer } from "../../../core/scalars.ts";
import type { NodeContext } from "../context.ts";
import { NodePeer } from "../peers/types.ts";
import { refuseOnPublic } from "../public-server.ts";
import { NodeId } from "../scalars.ts";
import { Node } from "./node.ts";
import {
  AcpPreferences,
  NetworkUpgrades,
  NodeArgs,
  NodeFx,
  NodePop,
  NodeUptime,
  NodeVersion,
  NodeVm,
  TxFees,
} from "./types.ts";

@Resolver(() => Node)
export class NodeResolver {
  @Query(() => Node, {
    description: "The node interface of a network. Answered by its node, or from the index if no node is asked.",
  })
  node(@Args(() => NodeArgs) { network }: NodeArgs, @Ctx() { nodes }: NodeContext): Node {
    return { info: nodes.find(network).info };
  }

  @FieldResolver(() => NodeId, { nullable: true, description: "Node id. Not available on a public server." })
  async nodeId(@Root() { info }: Node, @Ctx() context: NodeContext): Promise<string> {
    refuseOnPublic(context, "info.getNodeID");
    return (await info.identity()).nodeId;
  }

  @FieldResolver(() => NodePop, {
    nullable: true,
    description:
      "BLS key of the node. Null if the node's version does not return it. Not available on a public server.",
  })
  async pop(@Root() { info }: Node, @Ctx() context: NodeContext): Promise<NodePop | null> {
    refuseOnPublic(context, "info.getNodeID");
    return (await info.identity()).pop;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: "Address and port at which peers reach the node. Not available on a public server.",
  })
  async ip(@Root() { info }: Node, @Ctx() context: NodeContext): Promise<string> {
    refuseOnPublic(context, "info.getNodeIP");
    return info.ip();
  }

  @FieldResolver(() => NodeVersion, { nullable: true, description: "Versions of the node's software." })
  version(@Root() { info }: Node): Promise<NodeVersion> {
    return info.version();
  }

  @FieldResolver(() => Integer, { nullable: true, description: "Network id: 1 for mainnet, 5 for Fuji." })
  networkId(@Root() { info }: Node): Promise<number> {
    return info.networkId();
  }

  @FieldResolver(() => String, { nullable: true, description: "Network name, as the node returns it." })
  networkName(@Root() { info }: Node): Promise<string> {
    return info.networkName();
  }

  @FieldResolver(() => Boolean, {
    nullable: true,
    description:
      "Whether a chain is bootstrapped. If no node is asked: whether the index has reached the chain's head once.",
  })
  isBootstrapped(
    @Root() { info }: Node,
    @Arg("chain", () => String, { nullable: true, description: "Alias or id of the chain." }) chain: string | null,
  ): Promise<boolean> {
    return info.isBootstrapped(chain ?? "");
  }

  @FieldResolver(() => String, { nullable: true, description: "Id of the blockchain with this alias." })
  blockchainId(
    @Root() { info }: Node,
    @Arg("alias", () => String, { nullable: true, description: "Alias or id of the chain." }) alias: string | null,
  ): Promise<string> {
    return info.blockchainId(alias ?? "");
  }

  @FieldResolver(() => TxFees, { nullable: true, description: "Static transaction fees." })
  txFees(@Root() { info }: Node): Promise<TxFees> {
    return info.txFees();
  }

  @FieldResolver(() => [NodeVm], {
    nullable: true,
    description: "Virtual machines that are installed, in the node's order. Not available on a public server.",
  })
  async vms(@Root() { info }: Node, @Ctx() context: NodeContext): Promise<NodeVm[]> {
    refuseOnPublic(context, "info.getVMs");
    return (await info.vms()).vms;
  }

  @FieldResolver(() => [NodeFx], {
    nullable: true,
    description: "Feature extensions that are installed, in the node's order. Not available on a public server.",
  })
  async fxs(@Root() { info }: Node, @Ctx() context: NodeContext): Promise<NodeFx[]> {
    refuseOnPublic(context, "info.getVMs");
    return (await info.vms()).fxs;
  }

  @FieldResolver(() => [AcpPreferences], {
    nullable: true,
    description:
      "Preferences of validators on ACPs (Avalanche Community Proposals), ordered by the number as text. Empty if no node is asked.",
  })
  acps(@Root() { info }: Node): Promise<AcpPreferences[]> {
    return info.acps();
  }

  @FieldResolver(() => [NodePeer], {
    nullable: true,
    description: "Peers that the node is connected to.",
  })
  peers(
    @Root() { info }: Node,
    @Arg("nodeIds", () => [NodeId], {
      nullable: true,
      description:
        "Returns only these peers, in this order and including repeats; nodes that are not connected are left out. Default: all peers.",
    })
    nodeIds: string[] | null,
  ): Promise<NodePeer[]> {
    return info.peers(nodeIds ?? []);
  }

  @FieldResolver(() => NodeUptime, { nullable: true, description: "Uptime of the node, as its peers observe it." })
  uptime(@Root() { info }: Node): Promise<NodeUptime> {
    return info.uptime();
  }

  @FieldResolver(() => NetworkUpgrades, { nullable: true, description: "Activation times of network upgrades." })
  upgrades(@Root() { info }: Node): Promise<NetworkUpgrades> {
    return info.upgrades();
  }
}
