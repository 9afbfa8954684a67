import { Failure } from "../../../../core/errors.ts";
import type { AskedNode } from "../asked-node.ts";
import type { Check } from "../check.ts";
import type { NodeHealth } from "../node-health.ts";
import type { Traffic } from "../traffic.ts";

export interface NetworkCheckDeps {
  /** Null where no node is to be asked. */
  readonly node: AskedNode | null;
  /** That the node must be of; null where none is configured. */
  readonly networkId: number | null;
  readonly traffic: Traffic;
  /** Takes in what the node says of its own health; null when it cannot be asked, is the wrong one, or does not say. */
  merge(health: NodeHealth | null): void;
  /** Names of chains whose index is too far behind. */
  lagging(): Promise<string[]>;
  readonly mostLagBlocks: number;
}

interface Looked {
  readonly health: NodeHealth | null;
  readonly connectedPeers: number;
}

/** Passes when the upstream node answers, is of the right network, and the index keeps up with the heads of its nodes. */
export function networkCheck(deps: NetworkCheckDeps): Check {
  const { node, traffic, merge, mostLagBlocks } = deps;
  const look = createLook(deps);
  return async () => {
    const reasons: string[] = [];
    const unwell = (error: unknown): null => {
      if (!(error instanceof Failure)) throw error;
      reasons.push(error.message);
      return null;
    };
    // Of a database that is away another check speaks.
    const lagging = deps.lagging().catch(() => []);
    const looked = node ? await look(node).catch(unwell) : null;
    merge(looked?.health ?? null);
    for (const chain of await lagging) reasons.push(`${chain} is more than ${mostLagBlocks} blocks behind its node`);
    const message = { connectedPeers: looked?.connectedPeers ?? 0, ...traffic.seen() };
    return reasons.length === 0
      ? { message }
      : { message, error: `network layer is unhealthy reason: ${reasons.join(", ")}` };
  };
}

function createLook({ networkId }: NetworkCheckDeps): (node: AskedNode) => Promise<Looked> {
  // The list of peers is long, and a node's health has their number.
  let hasHealth = false;
  return async (node) => {
    const peers = hasHealth ? 0 : node.peerCount();
    const [id, health, counted] = await Promise.all([node.networkId(), node.health(), peers]);
    if (networkId !== null && id !== String(networkId))
      throw new Failure("UPSTREAM_FAILED", `the upstream node is of network ${id}, not of ${networkId}`);
    hasHealth = health !== null;
    return { health, connectedPeers: (health && peersOf(health)) ?? counted };
  };
}

function peersOf({ checks }: NodeHealth): number | null {
  const message: unknown = checks["network"]?.message;
  const count = (Object(message) as { readonly connectedPeers?: unknown }).connectedPeers;
  return typeof count === "number" ? count : null;
}
