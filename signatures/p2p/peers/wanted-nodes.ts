import type { Connection, ConnectionContext } from "../connection/connection.ts";

/** A node that somebody wants a connection to. */
export interface WantedNode {
  readonly nodeId: string;
  readonly firstWantedAtMs: number;
  wantedAtMs: number;
  connection: Connection | null;
  isReady: boolean;
  readyAtMs: number;
  /** Attempts that failed and connections that were lost, in a row. The loss of a connection that lasted long begins again at 1. */
  failures: number;
  nextDialAtMs: number;
  /** The moment of the next attempt if somebody waits for the node. */
  soonestDialAtMs: number;
  cancelDial: (() => void) | null;
  reason: string;
}

function createWantedNode(nodeId: string, nowMs: number): WantedNode {
  return {
    nodeId,
    firstWantedAtMs: nowMs,
    wantedAtMs: nowMs,
    connection: null,
    isReady: false,
    readyAtMs: 0,
    failures: 0,
    nextDialAtMs: nowMs,
    soonestDialAtMs: nowMs,
    cancelDial: null,
    reason: "no connection has been tried yet",
  };
}

/** The nodes that somebody wants a connection to. */
export interface WantedNodes {
  get(nodeId: string): WantedNode | undefined;
  includes(node: WantedNode): boolean;
  all(): Iterable<WantedNode>;
  /** Keeps the node, a new one if it is not wanted yet, until nobody has wanted it for `keepMs`. */
  want(nodeId: string): WantedNode;
  /** Forgets all nodes. `onForget` is not called for them. */
  clear(): void;
}

/** `onForget` is called with each node that nobody wants any more. */
export function createWantedNodes(
  { clock, timings }: Pick<ConnectionContext, "clock" | "timings">,
  onForget: (node: WantedNode) => void,
): WantedNodes {
  const nodes = new Map<string, WantedNode>();
  let cancelSweep: (() => void) | null = null;

  const forgetUnwanted = () => {
    const oldestMs = clock.nowMs() - timings.keepMs;
    for (const node of nodes.values())
      if (node.wantedAtMs <= oldestMs) {
        nodes.delete(node.nodeId);
        onForget(node);
      }
    cancelSweep = nodes.size > 0 ? clock.after(timings.keepMs, forgetUnwanted) : null;
  };
  return {
    get: (nodeId) => nodes.get(nodeId),
    includes: (node) => nodes.get(node.nodeId) === node,
    all: () => nodes.values(),
    want(nodeId) {
      const nowMs = clock.nowMs();
      const node = nodes.get(nodeId) ?? createWantedNode(nodeId, nowMs);
      nodes.set(nodeId, node);
      node.wantedAtMs = nowMs;
      cancelSweep ??= clock.after(timings.keepMs, forgetUnwanted);
      return node;
    },
    clear() {
      cancelSweep?.();
      nodes.clear();
    },
  };
}
