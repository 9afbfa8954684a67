import type { Logger } from "../../../core/logger.ts";
import { type Connection, type ConnectionContext, openConnection } from "../connection/connection.ts";
import type { ClientVersion } from "../wire/handshake.ts";
import type { ClaimedAddress } from "../wire/peer-list.ts";
import { retryPauseMs } from "./backoff.ts";
import type { Directory } from "./directory.ts";
import { isLoopback } from "./private-address.ts";

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

/** A node that somebody wants a connection to. */
interface Node {
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

const NO_ADDRESS = "no address of the node is known";

export function createPeers({ context, directory, logger, random }: PeersOptions): Peers {
  const { clock, timings, counts } = context;
  const nodes = new Map<string, Node>();
  const listeners = new Set<() => void>();
  /** Nodes that wait until fewer connections are being opened. */
  const queue = new Set<Node>();
  let dialing = 0;
  let isClosed = false;
  let cancelSweep: (() => void) | null = null;
  let cancelDiscovery: (() => void) | null = null;

  const announce = () => {
    for (const listener of [...listeners]) listener();
  };
  const isWanted = (node: Node) => !isClosed && nodes.get(node.nodeId) === node;

  const dialNext = () => {
    for (const node of queue) {
      if (dialing >= timings.maxDials) return;
      queue.delete(node);
      if (isWanted(node) && !node.connection) dial(node);
    }
  };
  const dialWhenDue = (node: Node) => {
    if (node.connection || queue.has(node) || node.cancelDial || !isWanted(node)) return;
    const waitMs = node.nextDialAtMs - clock.nowMs();
    if (waitMs > 0) {
      node.cancelDial = clock.after(waitMs, () => {
        node.cancelDial = null;
        dialWhenDue(node);
      });
      return;
    }
    queue.add(node);
    dialNext();
  };
  const dial = (node: Node) => {
    const addresses = directory.addressesOf(node.nodeId);
    const address = addresses[node.failures % Math.max(1, addresses.length)];
    if (!address) {
      node.reason = NO_ADDRESS;
      discoverSoon();
      return;
    }
    dialing++;
    counts.dials++;
    const host = `${address.host}:${address.port}`;
    node.connection = openConnection(node.nodeId, address, context, {
      onReady: (client) => onReady(node, client, host),
      onAddresses,
      onClosed: (reason) => onClosed(node, reason, host, isLoopback(address.host)),
    });
  };
  const onReady = (node: Node, client: ClientVersion | null, host: string) => {
    dialing--;
    counts.connections++;
    node.isReady = true;
    node.readyAtMs = clock.nowMs();
    // The first of several failures is logged with the level info, so a connection that follows failures is too.
    const level = node.failures > 0 ? "info" : "debug";
    logger[level]({ nodeId: node.nodeId, host, client }, `connected to ${node.nodeId} at ${host}`);
    announce();
    dialNext();
    discoverSoon();
  };
  const onClosed = (node: Node, reason: string, host: string, isLocal: boolean) => {
    const nowMs = clock.nowMs();
    const wasReady = node.isReady;
    const lasted = wasReady && nowMs - node.readyAtMs >= timings.stableMs;
    node.connection = null;
    node.isReady = false;
    node.failures = lasted ? 1 : node.failures + 1;
    if (wasReady) {
      counts.connections--;
      counts.lostConnections++;
    } else {
      dialing--;
      counts.failedDials++;
    }
    if (isWanted(node)) {
      const pauseMs = retryPauseMs(node.failures, isLocal, random(), timings);
      node.nextDialAtMs = nowMs + pauseMs;
      node.soonestDialAtMs = nowMs + retryPauseMs(1, isLocal, random(), timings);
      logClosed(node, reason, host, pauseMs, wasReady);
      node.reason = reason;
      dialWhenDue(node);
    }
    announce();
    dialNext();
  };
  /** Logs lost connections, first failures and new reasons with the level info, and repeated failures with debug. */
  const logClosed = (node: Node, reason: string, host: string, pauseMs: number, wasReady: boolean) => {
    const level = wasReady || node.reason !== reason ? "info" : "debug";
    const what = wasReady ? "lost the connection to" : "could not connect to";
    const seconds = Math.round(pauseMs / 1_000);
    logger[level](
      { nodeId: node.nodeId, host, failures: node.failures },
      `${what} ${node.nodeId} at ${host}: ${reason}; the next attempt follows in ${seconds} s`,
    );
  };
  const onAddresses = (claims: readonly ClaimedAddress[]) => {
    for (const nodeId of directory.addClaims(claims)) {
      const node = nodes.get(nodeId);
      if (node) dialWhenDue(node);
    }
  };

  const hasUnknownAddress = () =>
    [...nodes.values()].some((node) => !node.connection && directory.addressesOf(node.nodeId).length === 0);
  /** Asks one peer at random for addresses, and again after a pause, while the address of a wanted node is unknown. */
  const discoverSoon = () => {
    if (cancelDiscovery || isClosed) return;
    cancelDiscovery = clock.after(timings.discoveryMs, () => {
      cancelDiscovery = null;
      const ready = [...nodes.values()].filter(({ isReady }) => isReady);
      if (ready.length === 0 || !hasUnknownAddress()) return;
      ready[Math.min(Math.floor(random() * ready.length), ready.length - 1)]?.connection?.requestAddresses();
      discoverSoon();
    });
  };
  const forgetUnwanted = () => {
    const oldestMs = clock.nowMs() - timings.keepMs;
    for (const node of nodes.values()) if (node.wantedAtMs <= oldestMs) forget(node);
    cancelSweep = nodes.size > 0 ? clock.after(timings.keepMs, forgetUnwanted) : null;
  };
  const forget = (node: Node) => {
    nodes.delete(node.nodeId);
    queue.delete(node);
    node.cancelDial?.();
    node.connection?.close("the connection is not needed any more");
  };
  const wantOne = (nodeId: string) => {
    const nowMs = clock.nowMs();
    const node = nodes.get(nodeId) ?? createNode(nodeId, nowMs);
    nodes.set(nodeId, node);
    node.wantedAtMs = nowMs;
    dialWhenDue(node);
  };
  return {
    want(nodeIds) {
      if (isClosed) return;
      for (const nodeId of nodeIds) wantOne(nodeId);
      cancelSweep ??= clock.after(timings.keepMs, forgetUnwanted);
    },
    retrySoon(nodeIds) {
      for (const nodeId of nodeIds) {
        const node = nodes.get(nodeId);
        if (!node?.cancelDial || node.nextDialAtMs <= node.soonestDialAtMs) continue;
        node.cancelDial();
        node.cancelDial = null;
        node.nextDialAtMs = node.soonestDialAtMs;
        dialWhenDue(node);
      }
    },
    connectionTo(nodeId) {
      const node = nodes.get(nodeId);
      return node?.isReady ? node.connection : null;
    },
    mayConnect(nodeId, untilMs) {
      const node = nodes.get(nodeId);
      if (!node || isClosed) return false;
      if (node.connection || queue.has(node)) return true;
      if (node.cancelDial) return node.nextDialAtMs < untilMs;
      const canDiscover = counts.connections > 0 || dialing > 0;
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
      cancelSweep?.();
      cancelDiscovery?.();
      for (const node of nodes.values()) {
        node.cancelDial?.();
        node.connection?.close("this client stops");
      }
      nodes.clear();
      queue.clear();
      announce();
    },
  };
}

function createNode(nodeId: string, nowMs: number): Node {
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
