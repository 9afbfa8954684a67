import { Agent, type Dispatcher, request } from "undici";
import { z } from "zod";
import type { PrimaryNetworkConfig } from "../../../core/config-schema.ts";
import type { Network } from "../../../core/settings/network.ts";
import { messageOf } from "../../../core/errors.ts";
import type { Logger } from "../../../core/logger.ts";

/** A page must not wait for a node that is slow, nor ask it at every turn. */
const TIMEOUT_MS = 2_000;
const FRESH_MS = 30_000;
const MOST_KNOWN = 10_000;
const MOST_BYTES = 1 << 20;

/** What the indexed node says of another node, of its own observation. */
export interface Observation {
  /** Share of the validation in which they were connected, in percent. */
  readonly uptimePercent: number;
  readonly isConnected: boolean;
  /** Aliases of the chains whose requests it is kept from. */
  readonly benched: ReadonlySet<string>;
}

/** What the indexed nodes observe of validators of the primary network. */
export interface Observations {
  /** At most 30 s old; null while the node cannot be asked, and of nodes that do not validate. Never throws. */
  of(network: Network, nodeId: string): Promise<Observation | null>;
}

export interface ObservationsDeps {
  readonly primaryNetworks: readonly PrimaryNetworkConfig[];
  readonly logger: Logger;
  /** Clock that observations age by, in milliseconds. Default: a clock that never goes back. */
  readonly nowMs?: () => number;
}

/** No node has it. Asked for exactly one node, a node would answer every delegator along with it. */
const NOBODY = "NodeID-111111111111111111116DBWJs";

const validators = z.object({
  validators: z.array(
    z.object({ nodeID: z.string(), uptime: z.coerce.number().optional(), connected: z.boolean().optional() }),
  ),
});
const peers = z.object({ peers: z.array(z.object({ nodeID: z.string(), benched: z.array(z.string()).nullish() })) });

/** Opens nothing before the first question. */
export function createObservations({ primaryNetworks, logger, nowMs }: ObservationsDeps): Observations {
  const now = nowMs ?? (() => performance.now());
  const agent = new Agent({ connections: 4, maxResponseSize: MOST_BYTES });
  const nodes = new Map(primaryNetworks.map((one) => [one.network, one]));
  const known = new Map<string, { readonly atMs: number; readonly observation: Promise<Observation | null> }>();
  return {
    async of(network, nodeId) {
      const node = nodes.get(network);
      if (!node) return null;
      const key = `${network} ${nodeId}`;
      const last = known.get(key);
      if (last && now() - last.atMs < FRESH_MS) return last.observation;
      const observation = observe(agent, node, nodeId).catch((error: unknown) => {
        logger.debug({ network, nodeId }, `the node cannot say what it observes: ${messageOf(error)}`);
        return null;
      });
      if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value as string);
      known.set(key, { atMs: now(), observation });
      return observation;
    },
  };
}

async function observe(
  dispatcher: Dispatcher,
  node: PrimaryNetworkConfig,
  nodeID: string,
): Promise<Observation | null> {
  const asked = { nodeIDs: [nodeID, NOBODY] };
  const [current, connected] = await Promise.all([
    ask(dispatcher, node, "/ext/bc/P", "platform.getCurrentValidators", asked),
    ask(dispatcher, node, "/ext/info", "info.peers", { nodeIDs: [nodeID] }),
  ]);
  const validator = validators.parse(current).validators.find((one) => one.nodeID === nodeID);
  if (validator?.uptime === undefined) return null;
  const peer = peers.parse(connected).peers.find((one) => one.nodeID === nodeID);
  const { uptime, connected: isConnected = false } = validator;
  return { uptimePercent: uptime, isConnected, benched: new Set(peer?.benched ?? []) };
}

async function ask(
  dispatcher: Dispatcher,
  { nodeUrl, nodeHeaders }: PrimaryNetworkConfig,
  path: string,
  method: string,
  params: object,
): Promise<unknown> {
  const { statusCode, body } = await request(nodeUrl.replace(/\/+$/, "") + path, {
    method: "POST",
    dispatcher,
    headers: { "content-type": "application/json", ...nodeHeaders },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    // Asked seldom: no connection is left behind.
    reset: true,
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${method}: HTTP ${statusCode}`);
  const { result, error } = JSON.parse(text) as { result?: unknown; error?: { message?: unknown } };
  if (result === undefined) throw new Error(`${method}: ${String(error?.message)}`);
  return result;
}
