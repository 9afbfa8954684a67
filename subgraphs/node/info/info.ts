import type { Work } from "../../../core/work/work.ts";
import type { NodePeer } from "../peers/types.ts";
import type {
  AcpPreferences,
  NetworkUpgrades,
  NodeFx,
  NodePop,
  NodeUptime,
  NodeVersion,
  NodeVm,
  TxFees,
} from "./types.ts";

export interface NodeIdentity {
  readonly nodeId: string;
  /** Null if the node's version does not return it. */
  readonly pop: NodePop | null;
}

export interface NodeVms {
  readonly vms: NodeVm[];
  readonly fxs: NodeFx[];
}

/**
 * The Info API of one network's node. Methods throw `NODE_REFUSED` with a node's message where a node returns an error,
 * `UPSTREAM_FAILED` if the configured node does not answer, and `UNAVAILABLE` if too many calls to the node are running or,
 * without a node, if the network's genesis is not indexed yet.
 */
export interface Info {
  identity(): Promise<NodeIdentity>;
  ip(): Promise<string>;
  version(): Promise<NodeVersion>;
  networkId(): Promise<number>;
  networkName(): Promise<string>;
  /** By alias or id. */
  isBootstrapped(chain: string, work: Work): Promise<boolean>;
  /** By alias or id. */
  blockchainId(alias: string, work: Work): Promise<string>;
  txFees(): Promise<TxFees>;
  vms(): Promise<NodeVms>;
  acps(): Promise<AcpPreferences[]>;
  /** All peers if `nodeIds` is empty, else those of these ids that are connected, in this order. Ids may occur several times. */
  peers(nodeIds: readonly string[]): Promise<NodePeer[]>;
  uptime(): Promise<NodeUptime>;
  upgrades(work: Work): Promise<NetworkUpgrades>;
}
