const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;

/** The pauses before a process that has ended unexpectedly is started again. */
export interface RestartPauses {
  /**
   * Returns the next pause in milliseconds, for a process that ran for `ranMs`: half a second at first and after a process that ran for
   * more than a minute, else twice the last pause, up to a minute.
   */
  nextMs(ranMs: number): number;
}

export function createRestartPauses(): RestartPauses {
  let followingMs = FIRST_PAUSE_MS;
  return {
    nextMs(ranMs) {
      const pauseMs = ranMs > MAX_PAUSE_MS ? FIRST_PAUSE_MS : followingMs;
      followingMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
      return pauseMs;
    },
  };
}
