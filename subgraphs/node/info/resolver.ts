import { Arg, Args, Ctx, Directive, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Failure } from "../../../core/errors/errors.ts";
import { formatCount } from "../../../core/graph/cost.ts";
import { Integer } from "../../../core/graph/scalars.ts";
import type { NodeContext } from "../context.ts";
import { Blockchain, ValidatorNode } from "../entities.ts";
import { shownPeer } from "../peers/shown-peer.ts";
import { NodePeer } from "../peers/types.ts";
import { NOT_PUBLIC_RULE, NodeOnly, refuseOnPublic } from "../public-server.ts";
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

/** A network has fewer validators than this. */
const MAX_NODE_IDS = 5_000;

@Resolver(() => Node)
export class NodeResolver {
  @Query(() => Node, {
    description:
      "The node interface of a network: what the Info API of a node returns. The data comes from the upstream node. Its URL is in the network's entry in `primaryNetworks`. If the entry has several nodes, `nodeId`, `pop`, `ip`, `version`, `vms`, `fxs`, `peers` and `uptime` are those of the first, and the other fields come from the first that answers. For the network that `/ext/info` serves (setting `nodeInterface.network`), the setting `nodeInterface.nodeUrl` takes precedence. If no node is configured or `nodeInterface.askNode` is false, there is no upstream node. Without an upstream node, `nodeId`, `pop`, `ip`, `version`, `vms`, `fxs`, `peers` and `uptime` fail with `NODE_REFUSED`, and the other fields come from the index and the settings. Fails with `NOT_FOUND` for a network that is not served.",
  })
  node(@Args(() => NodeArgs) { network }: NodeArgs, @Ctx() { nodes }: NodeContext): Node {
    const served = nodes.require(network);
    return { network: served.network, info: served.info };
  }

  @FieldResolver(() => NodeId, {
    nullable: true,
    description: `Node id. ${NOT_PUBLIC_RULE}`,
  })
  @NodeOnly()
  async nodeId(@Root() { info }: Node, @Ctx() context: NodeContext): Promise<string> {
    refuseOnPublic(context, "info.getNodeID");
    return (await info.identity()).nodeId;
  }

  @FieldResolver(() => ValidatorNode, {
    nullable: true,
    description: `The node in its role as validator. ${NOT_PUBLIC_RULE}`,
  })
  @NodeOnly()
  async validatorNode(@Root() node: Node, @Ctx() context: NodeContext): Promise<ValidatorNode> {
    return { nodeId: await this.nodeId(node, context) };
  }

  @FieldResolver(() => NodePop, {
    nullable: true,
    description: `BLS key of the node. Null, without an error, if the node's version does not return it. ${NOT_PUBLIC_RULE}`,
  })
  @NodeOnly()
  async pop(@Root() { info }: Node, @Ctx() context: NodeContext): Promise<NodePop | null> {
    refuseOnPublic(context, "info.getNodeID");
    return (await info.identity()).pop;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: `Address and port at which peers reach the node. ${NOT_PUBLIC_RULE}`,
  })
  @NodeOnly()
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
      "Whether the node has bootstrapped a chain. Without an upstream node (see `Query.node`): whether the index has reached the chain's latest block, now or at an earlier request since this process started. Fails with `NODE_REFUSED` for an unknown chain.",
  })
  isBootstrapped(
    @Root() { info }: Node,
    @Arg("chain", () => String, { nullable: true, description: "Alias or id of the chain." }) chain: string | null,
    @Ctx() { work }: NodeContext,
  ): Promise<boolean> {
    return info.isBootstrapped(chain ?? "", work);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: "Blockchain id of a chain. Fails with `NODE_REFUSED` for an unknown chain.",
  })
  blockchainId(
    @Root() { info }: Node,
    @Arg("alias", () => String, { nullable: true, description: "Alias or id of the chain." }) alias: string | null,
    @Ctx() { work }: NodeContext,
  ): Promise<string> {
    return info.blockchainId(alias ?? "", work);
  }

  @FieldResolver(() => Blockchain, {
    nullable: true,
    description:
      "A chain, as the P-Chain registers it. Null if it is not indexed. Fails with `NODE_REFUSED` for an unknown chain.",
  })
  async blockchain(
    @Root() node: Node,
    @Arg("alias", () => String, { nullable: true, description: "Alias or id of the chain." }) alias: string | null,
    @Ctx() context: NodeContext,
  ): Promise<Blockchain> {
    return { network: node.network, blockchainId: await this.blockchainId(node, alias, context) };
  }

  @FieldResolver(() => TxFees, { nullable: true, description: "Static transaction fees." })
  txFees(@Root() { info }: Node): Promise<TxFees> {
    return info.txFees();
  }

  @FieldResolver(() => [NodeVm], {
    nullable: true,
    description: `Virtual machines that are installed, in the node's order. ${NOT_PUBLIC_RULE}`,
  })
  @NodeOnly()
  async vms(@Root() { info }: Node, @Ctx() context: NodeContext): Promise<NodeVm[]> {
    refuseOnPublic(context, "info.getVMs");
    return (await info.vms()).vms;
  }

  @FieldResolver(() => [NodeFx], {
    nullable: true,
    description: `Feature extensions that are installed, in the node's order. ${NOT_PUBLIC_RULE}`,
  })
  @NodeOnly()
  async fxs(@Root() { info }: Node, @Ctx() context: NodeContext): Promise<NodeFx[]> {
    refuseOnPublic(context, "info.getVMs");
    return (await info.vms()).fxs;
  }

  @FieldResolver(() => [AcpPreferences], {
    nullable: true,
    description:
      "Preferences of validators on ACPs (Avalanche Community Proposals), sorted by number as text: `103` precedes `24`. Empty without an upstream node (see `Query.node`).",
  })
  acps(@Root() { info }: Node): Promise<AcpPreferences[]> {
    return info.acps();
  }

  @FieldResolver(() => [NodePeer], {
    nullable: true,
    description: "Peers that the node is connected to.",
  })
  async peers(
    @Root() { info }: Node,
    @Arg("nodeIds", () => [NodeId], {
      nullable: true,
      description:
        "Returns only the peers with these node ids, in this order. A repeated id returns its peer again. Nodes that are not connected are left out. At most 5,000 ids. Default: all peers.",
    })
    nodeIds: string[] | null,
    @Ctx() { isPublic }: NodeContext,
  ): Promise<NodePeer[]> {
    if (nodeIds && nodeIds.length > MAX_NODE_IDS)
      throw new Failure("INVALID_PARAMETER", `nodeIds must have at most ${formatCount(MAX_NODE_IDS)} node ids`);
    return (await info.peers(nodeIds ?? [])).map((peer) => shownPeer(peer, isPublic));
  }

  @FieldResolver(() => NodeUptime, { nullable: true, description: "Uptime of the node, as observed by its peers." })
  uptime(@Root() { info }: Node): Promise<NodeUptime> {
    return info.uptime();
  }

  @FieldResolver(() => NetworkUpgrades, { nullable: true, description: "Activation times of network upgrades." })
  upgrades(@Root() { info }: Node, @Ctx() { work }: NodeContext): Promise<NetworkUpgrades> {
    return info.upgrades(work);
  }
}

@Resolver(() => AcpPreferences)
export class AcpPreferencesResolver {
  @Directive("@semanticNonNull(levels: [0, 1])")
  @FieldResolver(() => [ValidatorNode], { nullable: "itemsAndList", description: "The nodes `supporters`." })
  supporterNodes(@Root() { supporters }: AcpPreferences): ValidatorNode[] {
    return supporters.map((nodeId) => ({ nodeId }));
  }

  @Directive("@semanticNonNull(levels: [0, 1])")
  @FieldResolver(() => [ValidatorNode], { nullable: "itemsAndList", description: "The nodes `objectors`." })
  objectorNodes(@Root() { objectors }: AcpPreferences): ValidatorNode[] {
    return objectors.map((nodeId) => ({ nodeId }));
  }
}
