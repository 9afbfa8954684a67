import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Integer } from "../../../core/scalars.ts";
import type { NodeContext } from "../context.ts";
import { NodePeer } from "../peers/types.ts";
import { refuseOnPublic } from "../public.ts";
import { NodeId } from "../scalars.ts";
import {
  AcpPreferences,
  NetworkUpgrades,
  Node,
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
  @Query(() => Node, { description: "The node interface of a network: its node, or the index in a node's place." })
  node(@Args(() => NodeArgs) { network }: NodeArgs, @Ctx() { nodes }: NodeContext): Node {
    return { info: nodes.find(network).info };
  }

  @FieldResolver(() => NodeId, { nullable: true, description: "Node id. Not on a public server." })
  async nodeId(@Root() { info }: Node, @Ctx() context: NodeContext): Promise<string> {
    refuseOnPublic(context, "info.getNodeID");
    return (await info.identity()).nodeId;
  }

  @FieldResolver(() => NodePop, {
    nullable: true,
    description: "Its BLS key; null where its release does not tell it. Not on a public server.",
  })
  async pop(@Root() { info }: Node, @Ctx() context: NodeContext): Promise<NodePop | null> {
    refuseOnPublic(context, "info.getNodeID");
    return (await info.identity()).pop;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: "Address and port under which its peers reach it. Not on a public server.",
  })
  async ip(@Root() { info }: Node, @Ctx() context: NodeContext): Promise<string> {
    refuseOnPublic(context, "info.getNodeIP");
    return info.ip();
  }

  @FieldResolver(() => NodeVersion, { nullable: true, description: "What it runs." })
  version(@Root() { info }: Node): Promise<NodeVersion> {
    return info.version();
  }

  @FieldResolver(() => Integer, { nullable: true, description: "Id of its network: 1 is mainnet, 5 Fuji." })
  networkId(@Root() { info }: Node): Promise<number> {
    return info.networkId();
  }

  @FieldResolver(() => String, { nullable: true, description: "Name of its network, as nodes name it." })
  networkName(@Root() { info }: Node): Promise<string> {
    return info.networkName();
  }

  @FieldResolver(() => Boolean, {
    nullable: true,
    description: "Whether a chain is bootstrapped; without a node, whether the index has reached its head once.",
  })
  isBootstrapped(
    @Root() { info }: Node,
    @Arg("chain", () => String, { nullable: true, description: "Alias or id of the chain." }) chain: string | null,
  ): Promise<boolean> {
    return info.isBootstrapped(chain ?? "");
  }

  @FieldResolver(() => String, { nullable: true, description: "Id of the blockchain with that alias." })
  blockchainId(
    @Root() { info }: Node,
    @Arg("alias", () => String, { nullable: true, description: "Alias, or the id itself." }) alias: string | null,
  ): Promise<string> {
    return info.blockchainId(alias ?? "");
  }

  @FieldResolver(() => TxFees, { nullable: true, description: "Fees that do not move." })
  txFees(@Root() { info }: Node): Promise<TxFees> {
    return info.txFees();
  }

  @FieldResolver(() => [NodeVm], {
    nullable: true,
    description: "Virtual machines that it has, in the node's order. Not on a public server.",
  })
  async vms(@Root() { info }: Node, @Ctx() context: NodeContext): Promise<NodeVm[]> {
    refuseOnPublic(context, "info.getVMs");
    return (await info.vms()).vms;
  }

  @FieldResolver(() => [NodeFx], {
    nullable: true,
    description: "Feature extensions that it has, in the node's order. Not on a public server.",
  })
  async fxs(@Root() { info }: Node, @Ctx() context: NodeContext): Promise<NodeFx[]> {
    refuseOnPublic(context, "info.getVMs");
    return (await info.vms()).fxs;
  }

  @FieldResolver(() => [AcpPreferences], {
    nullable: true,
    description: "What validators prefer of community proposals, by their numbers as text. Empty without a node.",
  })
  acps(@Root() { info }: Node): Promise<AcpPreferences[]> {
    return info.acps();
  }

  @FieldResolver(() => [NodePeer], {
    nullable: true,
    description: "Nodes that it is connected to.",
  })
  peers(
    @Root() { info }: Node,
    @Arg("nodeIds", () => [NodeId], {
      nullable: true,
      description: "Only these, in this order, repeats kept, without those that are not connected. None given: all.",
    })
    nodeIds: string[] | null,
  ): Promise<NodePeer[]> {
    return info.peers(nodeIds ?? []);
  }

  @FieldResolver(() => NodeUptime, { nullable: true, description: "How it is up, as its peers say." })
  uptime(@Root() { info }: Node): Promise<NodeUptime> {
    return info.uptime();
  }

  @FieldResolver(() => NetworkUpgrades, { nullable: true, description: "When upgrades of its network become active." })
  upgrades(@Root() { info }: Node): Promise<NetworkUpgrades> {
    return info.upgrades();
  }
}
