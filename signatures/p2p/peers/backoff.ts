import type { Timings } from "../timings.ts";

/**
 * The pause before attempt `failures + 1` to connect: twice as long after each failure, up to `maxRetryMs`. A random part of at
 * most half the pause is added, so that many nodes are not tried at the same moment. `random` is from 0 to 1. Unless the node is
 * on this machine (`isLocal`), the pause is at least `minRemoteRetryMs`.
 */
export function retryPauseMs(failures: number, isLocal: boolean, random: number, timings: Timings): number {
  const doubled = timings.firstRetryMs * 2 ** Math.min(Math.max(failures - 1, 0), 30);
  const pauseMs = Math.min(doubled, timings.maxRetryMs) * (1 + random / 2);
  return isLocal ? pauseMs : Math.max(pauseMs, timings.minRemoteRetryMs);
}
