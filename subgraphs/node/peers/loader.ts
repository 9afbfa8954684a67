import { Failure } from "../../../core/errors/errors.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import type { Work } from "../../../core/work/work.ts";
import { createLoader, fields } from "../../shared/rows/loader.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import type { Nodes } from "../nodes.ts";
import { shownPeer } from "./shown-peer.ts";
import type { NodePeer } from "./types.ts";

export interface PeerKey {
  readonly network: NetworkName;
  readonly nodeId: string;
}

interface Found extends PeerKey {
  readonly peer: NodePeer;
}

/**
 * Loads peers for one request. Keys of one tick need one call for each network. Resolves with null if the node has no such
 * peer or does not respond, or if the network has no upstream node.
 */
export function createLoadPeer(
  nodes: Nodes,
  { logger, isPublic }: { readonly logger: Logger; readonly isPublic: boolean },
  work: Work,
): (key: PeerKey) => Promise<NodePeer | null> {
  const found = createLoader(
    "peer",
    async (keys: readonly PeerKey[]): Promise<Found[]> => {
      const networks = [...new Set(keys.map(({ network }) => network))];
      return (await Promise.all(networks.map((network) => peersOf(network, keys)))).flat();
    },
    fields("network", "nodeId"),
  )(work);
  return async ({ network, nodeId }) => (await found({ network, nodeId }))?.peer ?? null;

  async function peersOf(network: NetworkName, keys: readonly PeerKey[]): Promise<Found[]> {
    const node = nodes.get(network);
    if (!node?.upstream) return [];
    try {
      const nodeIds = keys.filter((key) => key.network === network).map(({ nodeId }) => nodeId);
      const peers = await node.info.peers([...new Set(nodeIds)]);
      return peers.map((peer) => ({ network, nodeId: peer.nodeId, peer: shownPeer(peer, isPublic) }));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      logger.debug({ network }, `the node did not return its peers: ${error.message}`);
      return [];
    }
  }
}
