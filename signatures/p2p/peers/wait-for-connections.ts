import type { Clock } from "../../clock.ts";
import type { Peers } from "./peers.ts";

export interface ConnectionWait {
  readonly peers: Peers;
  readonly nodeIds: readonly string[];
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly isEnough?: ((connected: ReadonlySet<string>) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits for connections to the nodes, and returns the ids of those that are connected: when all are, when no other node can be
 * connected in time, when `isEnough` says so, when the signal is aborted, or after `deadlineMs`. Nodes that failed before are
 * tried again soon, because somebody waits for them.
 */
export async function waitForConnections(wait: ConnectionWait): Promise<ReadonlySet<string>> {
  const { peers, nodeIds, clock, deadlineMs, isEnough = () => false, signal } = wait;
  const untilMs = clock.nowMs() + deadlineMs;
  const connected = () => new Set(nodeIds.filter((nodeId) => peers.connectionTo(nodeId)));
  const isOver = () => {
    const found = connected();
    if (signal?.aborted || clock.nowMs() >= untilMs || isEnough(found)) return true;
    return nodeIds.every((nodeId) => found.has(nodeId) || !peers.mayConnect(nodeId, untilMs));
  };
  if (isEnough(connected())) return connected();
  peers.retrySoon(nodeIds);
  if (isOver()) return connected();
  await new Promise<void>((resolve) => {
    let isScheduled = false;
    const check = () => {
      isScheduled = false;
      if (!isOver()) return;
      stop();
      resolve();
    };
    // Many connections change within one turn of the event loop. They are looked at once.
    const stopListening = peers.onChange(() => {
      if (!isScheduled) setImmediate(check);
      isScheduled = true;
    });
    const cancelDeadline = clock.after(deadlineMs, check);
    signal?.addEventListener("abort", check);
    const stop = () => {
      signal?.removeEventListener("abort", check);
      stopListening();
      cancelDeadline();
    };
  });
  return connected();
}
