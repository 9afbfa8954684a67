import { LRUCache } from "lru-cache";
import { Agent, type Dispatcher, request } from "undici";
import { z } from "zod";
import type { PrimaryNetworkConfig } from "../../../core/config/config-schema.ts";
import type { Network } from "../../../core/config/settings/network.ts";
import { messageOf } from "../../../core/errors/errors.ts";
import { createRedaction, type Redact } from "../../../core/errors/redaction.ts";
import { type ConfiguredNode, nodesOf } from "../../../core/networks/nodes.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import { createNodeTurns } from "../../shared/nodes/node-turns.ts";
import type { QuarantinedNodes } from "../../shared/nodes/quarantined-nodes.ts";

/** Time limit of a request to the node, so that a page does not wait for a slow node. */
const TIMEOUT_MS = 2_000;
const MAX_AGE_MS = 30_000;
const CACHE_SIZE = 10_000;
const MAX_RESPONSE_BYTES = 1 << 20;

/** Observations of another node by the indexed node. */
export interface Observation {
  /** Percentage of the validation during which the nodes were connected. */
  readonly uptimePercent: number;
  readonly isConnected: boolean;
  /** Aliases of the chains on which the indexed node has benched the other node. */
  readonly benched: ReadonlySet<string>;
}

/** Observations of primary network validators by the indexed nodes. */
export interface Observations {
  /** At most 30 seconds old. Null if the indexed node does not respond or the other node does not validate. Never throws. */
  of(network: Network, nodeId: string): Promise<Observation | null>;
}

export interface ObservationsDeps {
  readonly primaryNetworks: readonly PrimaryNetworkConfig[];
  readonly logger: Logger;
  /** Nodes that are not asked; read only for networks with several nodes. Default: none. */
  readonly quarantined?: QuarantinedNodes<number>;
  /** Clock for the age of observations, in milliseconds. Default: a monotonic clock. */
  readonly nowMs?: () => number;
}

/** A node ID that no node has. A query for exactly one node ID would make the node return all its delegators too. */
const NOBODY = "NodeID-111111111111111111116DBWJs";

const validators = z.object({
  validators: z.array(
    z.object({ nodeID: z.string(), uptime: z.coerce.number().optional(), connected: z.boolean().optional() }),
  ),
});
const peers = z.object({ peers: z.array(z.object({ nodeID: z.string(), benched: z.array(z.string()).nullish() })) });

/** Opens no connection before the first call. */
export function createObservations(deps: ObservationsDeps): Observations {
  const { primaryNetworks, logger, nowMs, quarantined = async () => new Set() } = deps;
  const now = nowMs ?? (() => performance.now());
  const agent = new Agent({ connections: 4, maxResponseSize: MAX_RESPONSE_BYTES });
  const networks = new Map(
    primaryNetworks.map((one) => [one.network, { ...one, nodes: nodesOf(one).map(withRedaction) }]),
  );
  const turns = createNodeTurns();
  const known = new LRUCache<string, { readonly atMs: number; readonly observation: Promise<Observation | null> }>({
    max: CACHE_SIZE,
  });

  /** What the first node that answers has observed. */
  async function observeInTurn({ nodes, networkId }: ObservingNetwork, nodeId: string): Promise<Observation | null> {
    let failure: unknown = null;
    const excluded = nodes.length > 1 ? await quarantined(networkId) : new Set<string>();
    for (const node of turns.order(nodes, excluded))
      try {
        return await observe(agent, node, nodeId);
      } catch (error) {
        turns.failed(node);
        failure ??= error;
      }
    throw failure ?? new Error("all nodes of the network are quarantined");
  }

  return {
    async of(network, nodeId) {
      const observing = networks.get(network);
      if (!observing) return null;
      const key = `${network} ${nodeId}`;
      const last = known.get(key);
      if (last && now() - last.atMs < MAX_AGE_MS) return last.observation;
      const observation = observeInTurn(observing, nodeId).catch((error: unknown) => {
        logger.debug({ network, nodeId }, `the node did not return its observations: ${messageOf(error)}`);
        return null;
      });
      known.set(key, { atMs: now(), observation });
      return observation;
    },
  };
}

interface ObservingNode extends ConfiguredNode {
  readonly redact: Redact;
}

interface ObservingNetwork extends Pick<PrimaryNetworkConfig, "networkId"> {
  readonly nodes: readonly ObservingNode[];
}

const withRedaction = (node: ConfiguredNode): ObservingNode => ({ ...node, redact: createRedaction(node) });

async function observe(dispatcher: Dispatcher, node: ObservingNode, nodeID: string): Promise<Observation | null> {
  const params = { nodeIDs: [nodeID, NOBODY] };
  const [current, connected] = await Promise.all([
    callNode(dispatcher, node, "/ext/bc/P", "platform.getCurrentValidators", params),
    callNode(dispatcher, node, "/ext/info", "info.peers", { nodeIDs: [nodeID] }),
  ]);
  const validator = validators.parse(current).validators.find((one) => one.nodeID === nodeID);
  if (validator?.uptime === undefined) return null;
  const peer = peers.parse(connected).peers.find((one) => one.nodeID === nodeID);
  const { uptime, connected: isConnected = false } = validator;
  return { uptimePercent: uptime, isConnected, benched: new Set(peer?.benched ?? []) };
}

async function callNode(
  dispatcher: Dispatcher,
  { url, headers, redact }: ObservingNode,
  path: string,
  method: string,
  params: object,
): Promise<unknown> {
  const { statusCode, body } = await request(url.replace(/\/+$/, "") + path, {
    method: "POST",
    dispatcher,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    // Requests are rare, so connections are not kept open.
    reset: true,
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${method}: HTTP ${statusCode}`);
  const { result, error } = JSON.parse(text) as { result?: unknown; error?: { message?: unknown } };
  if (result === undefined) throw new Error(`${method}: ${redact(String(error?.message))}`);
  return result;
}
