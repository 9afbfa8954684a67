import type { Clock } from "../clock.ts";
import type { Peers } from "./peers.ts";

/**
 * Waits for connections to the nodes, and returns the ids of those that are connected: when all are, when no other node can be
 * connected in time, when `isEnough` says so, or after `deadlineMs`.
 */
export async function waitForConnections(
  peers: Peers,
  nodeIds: readonly string[],
  clock: Clock,
  deadlineMs: number,
  isEnough: (connected: ReadonlySet<string>) => boolean = () => false,
): Promise<ReadonlySet<string>> {
  const untilMs = clock.nowMs() + deadlineMs;
  const connected = () => new Set(nodeIds.filter((nodeId) => peers.connectionTo(nodeId)));
  const isOver = () => {
    const found = connected();
    if (clock.nowMs() >= untilMs || isEnough(found)) return true;
    return nodeIds.every((nodeId) => found.has(nodeId) || !peers.mayConnect(nodeId, untilMs));
  };
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
    const stop = () => {
      stopListening();
      cancelDeadline();
    };
  });
  return connected();
}
