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
  /** Null where the node's release does not tell it. */
  readonly pop: NodePop | null;
}

export interface NodeVms {
  readonly vms: NodeVm[];
  readonly fxs: NodeFx[];
}

/**
 * What the Info interface of one network answers. Throws `NODE_REFUSED` with a node's own words where a node would refuse,
 * `UPSTREAM_FAILED` where a node should be asked and gives no answer.
 */
export interface Info {
  identity(): Promise<NodeIdentity>;
  ip(): Promise<string>;
  version(): Promise<NodeVersion>;
  networkId(): Promise<number>;
  networkName(): Promise<string>;
  /** By alias or id. */
  isBootstrapped(chain: string): Promise<boolean>;
  /** By alias or id. */
  blockchainId(alias: string): Promise<string>;
  txFees(): Promise<TxFees>;
  vms(): Promise<NodeVms>;
  acps(): Promise<AcpPreferences[]>;
  /** All that are connected where no ids are given; else in their order, repeats kept, those not connected left out. */
  peers(nodeIds: readonly string[]): Promise<NodePeer[]>;
  uptime(): Promise<NodeUptime>;
  upgrades(): Promise<NetworkUpgrades>;
}
