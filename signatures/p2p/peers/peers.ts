import type { Logger } from "../../../core/observability/logger.ts";
import type { Connection, ConnectionContext } from "../connection/connection.ts";
import { createConnectionLog } from "./connection-log.ts";
import { createDialer } from "./dialer.ts";
import type { Directory } from "./directory.ts";
import { createDiscovery } from "./discovery.ts";
import { createWantedNodes } from "./wanted-nodes.ts";

/** Connections to nodes. Lost ones are opened again, with growing pauses, as long as somebody wants them. */
export interface Peers {
  /** Connects to these nodes, if they are not connected, and keeps the connections until nobody has wanted them for `keepMs`. */
  want(nodeIds: readonly string[]): void;
  /** If one of these nodes waits for its next attempt, shortens its pause to that after a first failure. */
  retrySoon(nodeIds: readonly string[]): void;
  /** The connection to a node; null unless its handshake is complete. */
  connectionTo(nodeId: string): Connection | null;
  /** True if the node may become connected before `untilMs` of the clock. */
  mayConnect(nodeId: string, untilMs: number): boolean;
  /** Why the node is not connected, in words; null if it is connected. */
  reasonOf(nodeId: string): string | null;
  /** Calls the listener after each change of connections. Returns a function that stops it. */
  onChange(listener: () => void): () => void;
  /** Closes every connection and stops every timer. */
  close(): void;
}

export interface PeersOptions {
  readonly context: ConnectionContext;
  readonly directory: Directory;
  readonly logger: Logger;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

export function createPeers({ context, directory, logger, random }: PeersOptions): Peers {
  const { clock, timings, counts } = context;
  const listeners = new Set<() => void>();
  let isClosed = false;
  const announce = () => {
    for (const listener of [...listeners]) listener();
  };
  const nodes = createWantedNodes(context, (node) => {
    dialer.forget(node);
    node.connection?.close("the connection is not needed any more");
  });
  const discovery = createDiscovery({ context, directory, random, wantedNodes: nodes.all });
  const dialer = createDialer({
    context,
    directory,
    random,
    log: createConnectionLog(logger),
    isWanted: (node) => !isClosed && nodes.includes(node),
    onChange: announce,
    onDiscover: discovery.soon,
    onAddresses(claims) {
      for (const nodeId of directory.addClaims(claims)) {
        const node = nodes.get(nodeId);
        if (node) dialer.dialWhenDue(node);
      }
    },
  });
  return {
    want(nodeIds) {
      if (isClosed) return;
      for (const nodeId of nodeIds) dialer.dialWhenDue(nodes.want(nodeId));
    },
    retrySoon(nodeIds) {
      for (const nodeId of nodeIds) {
        const node = nodes.get(nodeId);
        if (!node?.cancelDial || node.nextDialAtMs <= node.soonestDialAtMs) continue;
        node.cancelDial();
        node.cancelDial = null;
        node.nextDialAtMs = node.soonestDialAtMs;
        dialer.dialWhenDue(node);
      }
    },
    connectionTo(nodeId) {
      const node = nodes.get(nodeId);
      return node?.isReady ? node.connection : null;
    },
    mayConnect(nodeId, untilMs) {
      const node = nodes.get(nodeId);
      if (!node || isClosed) return false;
      if (node.connection || dialer.isQueued(node)) return true;
      if (node.cancelDial) return node.nextDialAtMs < untilMs;
      const canDiscover = counts.connections > 0 || dialer.isBusy();
      return canDiscover && clock.nowMs() < node.firstWantedAtMs + timings.discoveryPatienceMs;
    },
    reasonOf(nodeId) {
      const node = nodes.get(nodeId);
      if (node?.isReady) return null;
      return node?.reason ?? "nobody has asked for a connection to the node";
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      isClosed = true;
      discovery.stop();
      for (const node of nodes.all()) {
        dialer.forget(node);
        node.connection?.close("this client stops");
      }
      nodes.clear();
      announce();
    },
  };
}
