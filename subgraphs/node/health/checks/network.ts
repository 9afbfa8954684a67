import { Failure } from "../../../../core/errors/errors.ts";
import type { Check } from "../runner/check.ts";
import type { HealthClient } from "../upstream/health-client.ts";
import type { NodeHealth } from "../upstream/node-report.ts";
import type { RequestStatistics } from "../upstream/request-statistics.ts";

export interface NetworkCheckDeps {
  /** Null if there is no upstream node. */
  readonly node: HealthClient | null;
  /** Id of the network that the node must belong to; null if there is no upstream node. */
  readonly networkId: number | null;
  readonly requests: RequestStatistics;
  /**
   * Receives the node's health report. Null if there is no upstream node, or if the node did not answer, belongs to
   * another network or does not serve the report.
   */
  merge(health: NodeHealth | null): void;
  /** Names of chains that are too far behind their node. */
  lagging(): Promise<string[]>;
  readonly maxLagBlocks: number;
}

interface NodeState {
  readonly health: NodeHealth | null;
  readonly connectedPeers: number;
}

/** Passes if the upstream node answers and belongs to the right network, and no index is too far behind. */
export function networkCheck(deps: NetworkCheckDeps): Check {
  const { node, requests, merge, maxLagBlocks } = deps;
  const read = createNodeReader(deps);
  return async () => {
    const reasons: string[] = [];
    const addReason = (error: unknown): null => {
      if (!(error instanceof Failure)) throw error;
      reasons.push(error.message);
      return null;
    };
    // The check `database` reports a database that cannot be reached.
    const lagging = deps.lagging().catch(() => []);
    const state = node ? await read(node).catch(addReason) : null;
    merge(state?.health ?? null);
    for (const chain of await lagging) reasons.push(`${chain} is more than ${maxLagBlocks} blocks behind its node`);
    const message = { connectedPeers: state?.connectedPeers ?? 0, ...requests.summary() };
    return reasons.length === 0
      ? { message }
      : { message, error: `network layer is unhealthy reason: ${reasons.join(", ")}` };
  };
}

function createNodeReader({ networkId }: NetworkCheckDeps): (node: HealthClient) => Promise<NodeState> {
  // The list of peers is long: it is not needed if the health report contains their number.
  let hasHealth = false;
  return async (node) => {
    const peers = hasHealth ? 0 : node.peerCount();
    const [id, health, counted] = await Promise.all([node.networkId(), node.health(), peers]);
    if (networkId !== null && id !== String(networkId))
      throw new Failure("UPSTREAM_FAILED", `the upstream node belongs to network ${id}, not to ${networkId}`);
    hasHealth = health !== null;
    return { health, connectedPeers: (health && peersOf(health)) ?? counted };
  };
}

function peersOf({ checks }: NodeHealth): number | null {
  const message: unknown = checks["network"]?.message;
  const count = (Object(message) as { readonly connectedPeers?: unknown }).connectedPeers;
  return typeof count === "number" ? count : null;
}
