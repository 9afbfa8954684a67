const MAX_PAUSE_SECONDS = 3_600;

/**
 * Seconds until a contract is called again that the node could not call `failures` times in a row: 1, 2, 4 and so on, at most an
 * hour, but at least what the node asked for.
 */
export function retryPauseSeconds(failures: number, retryAfterMs: number): number {
  const pause = Math.min(MAX_PAUSE_SECONDS, 2 ** (failures - 1));
  return Math.max(pause, Math.ceil(retryAfterMs / 1_000));
}
