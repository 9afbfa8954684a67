/** What a check found: `message` is any JSON, `error` why it failed. */
export interface CheckOutcome {
  readonly message?: unknown;
  readonly error?: string;
}

/** Looks at one part. `signal` is aborted when its time is up. What it throws counts as a failure, a `Failure` with its text. */
export type Check = (signal: AbortSignal) => Promise<CheckOutcome>;

/** A check that never fails again after it passed with a message: that message is given again. */
export function monotonic(check: Check): Check {
  let passed: unknown = null;
  return async (signal) => {
    if (passed !== null) return { message: passed };
    const outcome = await check(signal);
    if (outcome.error === undefined) passed = outcome.message ?? null;
    return outcome;
  };
}
