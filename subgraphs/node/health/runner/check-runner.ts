import { Failure } from "../../../../core/errors/errors.ts";
import type { Logger } from "../../../../core/observability/logger.ts";
import type { HealthCheck } from "../types.ts";
import type { Check, CheckOutcome } from "./check.ts";
import type { HealthClock } from "./clock.ts";
import { goDuration, goTime, ZERO_TIME } from "./go-format.ts";
import { withinLimit } from "./time-limit.ts";

/** A value, or a function that returns the current value. */
export type MaybeDynamic<Value> = Value | (() => Value);

/** Runs named checks and keeps the last result of each, with the semantics of avalanchego. */
export interface CheckRunner {
  /** Registers a check, which fails with "not yet run" until its first run. Returns a function that runs it at once. */
  register(name: MaybeDynamic<string>, check: Check, tags: MaybeDynamic<readonly string[]>): () => Promise<void>;
  /** The last results, in order of registration. */
  readonly results: readonly HealthCheck[];
  /** Runs all checks concurrently, except those that are still running. Resolves when each has a result. */
  tick(): Promise<void>;
}

export interface CheckRunnerDeps {
  readonly clock: HealthClock;
  /** Time limit of a check. A check that exceeds it has failed, and is not started again before it has ended. */
  readonly timeLimitMs: number;
  readonly logger: Logger;
}

type Result = Omit<HealthCheck, "name" | "tags">;

interface Registered {
  readonly name: MaybeDynamic<string>;
  readonly tags: MaybeDynamic<readonly string[]>;
  readonly check: Check;
  result: Result;
  /** `hanging`: the time limit is exceeded and the check has not ended. */
  phase: "idle" | "running" | "hanging";
}

/** Runs a check only in `tick`, or when the function that `register` returned is called. */
export function createCheckRunner({ clock, timeLimitMs, logger }: CheckRunnerDeps): CheckRunner {
  const registered: Registered[] = [];
  const overdue = { error: `the check did not end within ${goDuration(BigInt(timeLimitMs) * 1_000_000n)}` };

  const failed = (name: string, error: unknown): CheckOutcome => {
    if (error instanceof Failure) return { error: error.message };
    logger.error({ check: name, err: error }, "a health check threw an unexpected error");
    return { error: "the check ended with an unexpected error; the log has the cause" };
  };

  const begin = (one: Registered): Promise<CheckOutcome> => {
    one.phase = "running";
    const task = async (signal: AbortSignal): Promise<CheckOutcome> => {
      try {
        return await one.check(signal);
      } catch (error) {
        return signal.aborted ? overdue : failed(now(one.name), error);
      } finally {
        one.phase = "idle";
      }
    };
    return withinLimit(task, timeLimitMs, () => {
      one.phase = "hanging";
      return overdue;
    });
  };

  const run = async (one: Registered): Promise<void> => {
    if (one.phase === "running") return;
    const startNs = clock.nowNs();
    const outcome = one.phase === "hanging" ? overdue : await begin(one);
    one.result = resultOf(one.result, outcome, startNs, clock.nowNs());
  };

  return {
    register(name, check, tags) {
      const one: Registered = { name, tags, check, result: NOT_YET_RUN, phase: "idle" };
      registered.push(one);
      return () => run(one);
    },
    get results() {
      return registered.map(({ name, tags, result }) => ({ ...result, name: now(name), tags: [...now(tags)] }));
    },
    async tick() {
      await Promise.all(registered.map(run));
    },
  };
}

const now = <Value extends string | readonly string[]>(value: MaybeDynamic<Value>): Value =>
  typeof value === "function" ? value() : value;

const NOT_YET_RUN: Result = {
  message: null,
  error: "not yet run",
  timestamp: ZERO_TIME,
  duration: "0",
  contiguousFailures: null,
  timeOfFirstFailure: null,
};

function resultOf(previous: Result, outcome: CheckOutcome, startNs: bigint, endNs: bigint): Result {
  const { message = null, error = null } = outcome;
  const timestamp = goTime(endNs);
  const duration = String(endNs > startNs ? endNs - startNs : 0n);
  const last = { message, error, timestamp, duration };
  if (error === null) return { ...last, contiguousFailures: null, timeOfFirstFailure: null };
  const contiguousFailures = (previous.contiguousFailures ?? 0) + 1;
  return { ...last, contiguousFailures, timeOfFirstFailure: previous.timeOfFirstFailure ?? timestamp };
}
