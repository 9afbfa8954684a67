import type { PrimaryNetworkConfig } from "../../core/config/config-schema.ts";
import { nodesOf } from "../../core/networks/nodes.ts";
import type { Logger } from "../../core/observability/logger.ts";
import type { Clock } from "../clock.ts";
import type { ValidatorNetwork } from "../collector/validator-network.ts";
import type { NodeAddress } from "../p2p/peers/directory.ts";
import { isLoopback } from "../p2p/peers/private-address.ts";
import { createSignatureTransport } from "../p2p/transport.ts";
import type { ClientVersion } from "../p2p/wire/handshake.ts";
import { identityDirectory } from "./identity-directories.ts";
import { createNodeInfo, type NodeInfo, reasonOfCall } from "./node-info.ts";
import { openIdentity } from "./open-identity.ts";

export interface NetworkOptions {
  readonly network: PrimaryNetworkConfig;
  readonly dataDirectory: string;
  readonly allowPrivateAddresses: boolean;
  /** Addresses besides those of the settings. They may name the certificate that is accepted there. */
  readonly addresses: readonly NodeAddress[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The connections to one network's validators. Disposing it closes them. */
export interface OpenNetwork extends ValidatorNetwork, AsyncDisposable {
  /**
   * Names an L1 in handshakes from now on: nodes before November 2024 answer requests about an L1 only if the client names it.
   * After 16 L1s, further ones are ignored.
   */
  trackSubnet(subnetId: string): void;
}

/** Claimed while the version of the network's node (`nodeUrl`) is unknown. */
const DEFAULT_VERSION: ClientVersion = { name: "avalanchego", major: 1, minor: 14, patch: 2 };
/** The version is requested again after this time: it changes with upgrades of the network. */
const VERSION_AGE_MS = 600_000;
/** The address of a node that is not connected is requested again after this time. */
const ADDRESS_AGE_MS = 10_000;
const MAX_TRACKED_SUBNETS = 16;
const PUBLIC_NETWORKS: ReadonlySet<number> = new Set([1, 5]);

/**
 * Loads the certificate of the network, which is created the first time, and connects to nobody. Throws `UnusableIdentity` if
 * there is no certificate to use.
 */
export async function openNetwork(options: NetworkOptions): Promise<OpenNetwork> {
  const { network, allowPrivateAddresses, addresses, clock, logger } = options;
  const { networkId } = network;
  // The addresses that a node knows are its own view, so only the first node is asked.
  const [first] = nodesOf(network);
  const directory = identityDirectory(options.dataDirectory, networkId);
  const { identity, lock } = await openIdentity({ directory, clock, logger });
  const node = createNodeInfo({ nodeUrl: first.url, nodeHeaders: first.headers });
  const version = createVersion(node, clock, logger.child({ networkId: String(networkId) }));
  const trackedSubnets: Uint8Array[] = [];
  const transport = createSignatureTransport({
    networkId,
    identity,
    clientVersion: version.current,
    trackedSubnets,
    allowPrivateAddresses,
    allowLoopbackAddresses: !PUBLIC_NETWORKS.has(networkId) && isLoopback(hostOf(first.url)),
    logger,
    clock,
  });
  transport.addAddresses("configuration", [...network.signatures.peers, ...addresses]);
  const lookUp = createLookUp(clock, async (nodeIds) => {
    try {
      transport.addAddresses("node", await node.peers(nodeIds));
    } catch (error) {
      logger.warn(
        { networkId },
        `the node did not return addresses of validators (info.peers): ${reasonOfCall(error)}`,
      );
    }
  });
  logger.info(
    { networkId, nodeId: transport.nodeId },
    "Moraine asks validators of this network for signatures; `nodeId` is its own id",
  );
  return {
    transport,
    async findAddresses(nodeIds) {
      const missing = nodeIds.filter((nodeId) => transport.reasonOf(nodeId) !== null);
      await Promise.all([version.refresh(), lookUp(missing)]);
    },
    trackSubnet(subnetId) {
      const id = Buffer.from(subnetId, "hex");
      const isKnown = trackedSubnets.some((known) => id.equals(known));
      if (!isKnown && trackedSubnets.length < MAX_TRACKED_SUBNETS && !/^0*$/.test(subnetId)) trackedSubnets.push(id);
    },
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      await lock?.[Symbol.asyncDispose]();
    },
  };
}

/** The version of the network's node, which this client claims to have too. */
function createVersion(node: NodeInfo, clock: Clock, logger: Logger) {
  let current: ClientVersion | null = null;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  return {
    current: () => current ?? DEFAULT_VERSION,
    async refresh() {
      if (clock.nowMs() - checkedAtMs < (current ? VERSION_AGE_MS : ADDRESS_AGE_MS)) return;
      checkedAtMs = clock.nowMs();
      try {
        current = await node.version();
      } catch (error) {
        const { major, minor, patch } = current ?? DEFAULT_VERSION;
        logger.warn(
          `the node did not return its version (info.getNodeVersion): ${reasonOfCall(error)}; Moraine tells validators that it has version ${major}.${minor}.${patch}`,
        );
      }
    },
  };
}

/** Looks up the nodes that were not looked up within the last `ADDRESS_AGE_MS`. */
function createLookUp(clock: Clock, lookUp: (nodeIds: readonly string[]) => Promise<void>) {
  const lookedUpAtMs = new Map<string, number>();
  return async (nodeIds: readonly string[]) => {
    const nowMs = clock.nowMs();
    for (const [nodeId, atMs] of lookedUpAtMs) if (nowMs - atMs >= ADDRESS_AGE_MS) lookedUpAtMs.delete(nodeId);
    const due = nodeIds.filter((nodeId) => !lookedUpAtMs.has(nodeId));
    for (const nodeId of due) lookedUpAtMs.set(nodeId, nowMs);
    if (due.length > 0) await lookUp(due);
  };
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, "");
}
