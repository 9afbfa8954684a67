import { type ConnectionContext, openConnection } from "../connection/connection.ts";
import type { ClientVersion } from "../wire/handshake.ts";
import type { ClaimedAddress } from "../wire/peer-list.ts";
import { retryPauseMs } from "./backoff.ts";
import type { ConnectionLog } from "./connection-log.ts";
import type { Directory } from "./directory.ts";
import { isLoopback } from "./private-address.ts";
import type { WantedNode } from "./wanted-nodes.ts";

/** Opens connections to wanted nodes, some at a time, and opens them again with growing pauses. */
export interface Dialer {
  /** Opens a connection at the moment of the node's next attempt, unless it is connected or this is already planned. */
  dialWhenDue(node: WantedNode): void;
  /** True if the node waits until fewer connections are being opened. */
  isQueued(node: WantedNode): boolean;
  /** True if connections are being opened. */
  isBusy(): boolean;
  /** Plans no further attempt for the node. */
  forget(node: WantedNode): void;
}

export interface DialerDeps {
  readonly context: ConnectionContext;
  readonly directory: Directory;
  readonly log: ConnectionLog;
  /** A number from 0 to 1. */
  readonly random: () => number;
  isWanted(node: WantedNode): boolean;
  /** Called after a connection became ready or was closed. */
  onChange(): void;
  /** Called when no address of a node is known, and when a node can be asked for addresses. */
  onDiscover(): void;
  onAddresses(claims: readonly ClaimedAddress[]): void;
}

const NO_ADDRESS = "no address of the node is known";

export function createDialer(deps: DialerDeps): Dialer {
  const { context, directory, isWanted, onChange, onDiscover, onAddresses } = deps;
  const { clock, timings, counts } = context;
  const queue = new Set<WantedNode>();
  const events = createDialEvents(deps);
  let dialing = 0;

  const dialNext = () => {
    for (const node of queue) {
      if (dialing >= timings.maxDials) return;
      queue.delete(node);
      if (isWanted(node) && !node.connection) dial(node);
    }
  };
  const dialWhenDue = (node: WantedNode) => {
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
  const dial = (node: WantedNode) => {
    const addresses = directory.addressesOf(node.nodeId);
    const address = addresses[node.failures % Math.max(1, addresses.length)];
    if (!address) {
      node.reason = NO_ADDRESS;
      return onDiscover();
    }
    dialing++;
    counts.dials++;
    const host = `${address.host}:${address.port}`;
    node.connection = openConnection(node.nodeId, address, context, {
      onAddresses,
      onReady(client) {
        dialing--;
        events.ready(node, client, host);
        onChange();
        dialNext();
        onDiscover();
      },
      onClosed(reason) {
        if (!node.isReady) dialing--;
        events.closed(node, reason, { host, isLocal: isLoopback(address.host) });
        dialWhenDue(node);
        onChange();
        dialNext();
      },
    });
  };
  return {
    dialWhenDue,
    isQueued: (node) => queue.has(node),
    isBusy: () => dialing > 0,
    forget(node) {
      queue.delete(node);
      node.cancelDial?.();
    },
  };
}

/** Changes the state of a node, the counts and the log when its connection becomes ready or is closed. */
function createDialEvents({ context, log, random, isWanted }: DialerDeps) {
  const { clock, timings, counts } = context;
  return {
    ready(node: WantedNode, client: ClientVersion | null, host: string) {
      counts.connections++;
      node.isReady = true;
      node.readyAtMs = clock.nowMs();
      log.ready(node, client, host);
    },
    closed(node: WantedNode, reason: string, { host, isLocal }: { readonly host: string; readonly isLocal: boolean }) {
      const nowMs = clock.nowMs();
      const wasReady = node.isReady;
      const lasted = wasReady && nowMs - node.readyAtMs >= timings.stableMs;
      node.connection = null;
      node.isReady = false;
      node.failures = lasted ? 1 : node.failures + 1;
      if (wasReady) {
        counts.connections--;
        counts.lostConnections++;
      } else counts.failedDials++;
      if (!isWanted(node)) return;
      const pauseMs = retryPauseMs(node.failures, isLocal, random(), timings);
      node.nextDialAtMs = nowMs + pauseMs;
      node.soonestDialAtMs = nowMs + retryPauseMs(1, isLocal, random(), timings);
      log.closed(node, { host, reason, wasReady, pauseMs });
      node.reason = reason;
    },
  };
}
