/** Result of a check. `message`: any JSON value. `error`: the reason if the check failed. */
export interface CheckOutcome {
  readonly message?: unknown;
  readonly error?: string;
}

/**
 * Checks one part of the service. `signal` is aborted at the time limit. An error that the check throws counts as a failed check.
 * If the error is a `Failure`, its message is reported.
 */
export type Check = (signal: AbortSignal) => Promise<CheckOutcome>;

/**
 * Wraps a check so that it does not run again once it has passed with a message: that message is returned from then on.
 * A check that passes without a message runs again.
 */
export function monotonic(check: Check): Check {
  let passed: unknown = null;
  return async (signal) => {
    if (passed !== null) return { message: passed };
    const outcome = await check(signal);
    if (outcome.error === undefined) passed = outcome.message ?? null;
    return outcome;
  };
}
