import type { ConnectionContext } from "../connection/connection.ts";
import type { Directory } from "./directory.ts";
import type { WantedNode } from "./wanted-nodes.ts";

/** Asks peers for the addresses of wanted nodes. */
export interface Discovery {
  /** Asks one peer at random after a pause, and again after further pauses, while the address of a wanted node is unknown. */
  soon(): void;
  stop(): void;
}

export interface DiscoveryDeps {
  readonly context: Pick<ConnectionContext, "clock" | "timings">;
  readonly directory: Directory;
  /** A number from 0 to 1. */
  readonly random: () => number;
  wantedNodes(): Iterable<WantedNode>;
}

export function createDiscovery({ context, directory, random, wantedNodes }: DiscoveryDeps): Discovery {
  const { clock, timings } = context;
  let isStopped = false;
  let cancel: (() => void) | null = null;

  const hasUnknownAddress = () =>
    [...wantedNodes()].some((node) => !node.connection && directory.addressesOf(node.nodeId).length === 0);
  const ask = () => {
    cancel = null;
    const ready = [...wantedNodes()].filter(({ isReady }) => isReady);
    if (ready.length === 0 || !hasUnknownAddress()) return;
    ready[Math.min(Math.floor(random() * ready.length), ready.length - 1)]?.connection?.requestAddresses();
    soon();
  };
  const soon = () => {
    if (!cancel && !isStopped) cancel = clock.after(timings.discoveryMs, ask);
  };
  return {
    soon,
    stop() {
      isStopped = true;
      cancel?.();
    },
  };
}
