import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../../../core/errors/errors.ts";
import { createLogger } from "../../../../core/observability/logger.ts";
import { epochNs, type RecordedCheck, recordedHealth } from "../../../../test/support/recorded/recorded-health.ts";
import type { HealthCheck } from "../types.ts";
import { type Check, type CheckOutcome, monotonic } from "./check.ts";
import { type CheckRunner, createCheckRunner } from "./check-runner.ts";

const SECOND = 1_000_000_000n;

/** A clock that advances by a microsecond on each read, and by `forward`. */
function createTestClock() {
  let ns = 1_795_248_000n * SECOND;
  return {
    nowNs: () => (ns += 1_000n),
    forward(by: bigint) {
      ns += by;
    },
  };
}

function runnerWith(timeLimitMs = 2_000, clock = createTestClock()): CheckRunner {
  return createCheckRunner({ clock, timeLimitMs, logger: createLogger("silent") });
}

const resultOf = ({ results }: CheckRunner, name: string): HealthCheck => {
  const result = results.find((one) => one.name === name);
  if (!result) throw new Error(`no check ${name}`);
  return result;
};

const passes: Check = async () => ({});
const hangs: Check = () => new Promise(() => {});

describe("the runner of health checks", () => {
  it("a check that has not run yet fails with the zero time and without a count", () => {
    const runner = runnerWith();
    runner.register("P", passes, ["a-subnet"]);
    expect(runner.results).toEqual([
      {
        name: "P",
        message: null,
        error: "not yet run",
        timestamp: "0001-01-01T00:00:00Z",
        duration: "0",
        contiguousFailures: null,
        timeOfFirstFailure: null,
        tags: ["a-subnet"],
      },
    ]);
  });

  it("counts the failures in a row and keeps the end of the first, until the first pass", async () => {
    const clock = createTestClock();
    const runner = runnerWith(2_000, clock);
    const outcomes: CheckOutcome[] = [{ error: "a" }, { error: "b", message: 1 }, { message: [] }, { error: "c" }];
    runner.register("P", async () => outcomes.shift() ?? {}, []);
    const seen: HealthCheck[] = [];
    for (let run = 0; run < 5; run++) {
      await runner.tick();
      seen.push(resultOf(runner, "P"));
      clock.forward(SECOND);
    }
    expect(seen.map(({ error, contiguousFailures, message }) => [error, contiguousFailures, message])).toEqual([
      ["a", 1, null],
      ["b", 2, 1],
      [null, null, []],
      ["c", 1, null],
      [null, null, null],
    ]);
    const [first, second, passed, again, last] = seen;
    expect(first?.timeOfFirstFailure).toBe(first?.timestamp);
    expect(second?.timeOfFirstFailure).toBe(first?.timestamp);
    expect([passed?.timeOfFirstFailure, last?.timeOfFirstFailure]).toEqual([null, null]);
    expect(again?.timeOfFirstFailure).toBe(again?.timestamp);
    expect(seen.map(({ duration }) => duration)).toEqual(Array(5).fill("1000"));
  });

  it("runs all checks at once", async () => {
    const runner = runnerWith();
    let running = 0;
    let most = 0;
    for (const name of ["a", "b", "c"])
      runner.register(name, async () => {
        most = Math.max(most, ++running);
        await sleep(20);
        running -= 1;
        return {};
      }, []);
    await runner.tick();
    expect(most).toBe(3);
  });

  it("a check that is added during a run waits for the next run", async () => {
    const runner = runnerWith();
    runner.register("a", () => sleep(20, {}), []);
    const ticking = runner.tick();
    runner.register("b", passes, []);
    await ticking;
    expect(resultOf(runner, "b").error).toBe("not yet run");
    await runner.tick();
    expect(resultOf(runner, "b").error).toBeNull();
  });

  it("a check that hangs is aborted and fails at the time limit and on each later run, and delays no other check", async () => {
    const runner = runnerWith(50);
    let begun = 0;
    let wasAborted = false;
    runner.register(
      "hangs",
      (signal) => {
        begun += 1;
        signal.addEventListener("abort", () => {
          wasAborted = true;
        });
        return hangs(signal);
      },
      [],
    );
    let runs = 0;
    runner.register("runs", async () => ({ message: ++runs }), []);
    const first = runner.tick();
    await sleep(1);
    await runner.tick();
    expect([resultOf(runner, "hangs").error, resultOf(runner, "runs").message]).toEqual(["not yet run", 2]);
    await first;
    expect(resultOf(runner, "hangs")).toMatchObject({
      error: "the check did not end within 50ms",
      contiguousFailures: 1,
    });
    await runner.tick();
    expect([resultOf(runner, "hangs").contiguousFailures, begun, wasAborted]).toEqual([2, 1, true]);
  });

  it("a check that ended after its time limit runs again, and its late result is dropped", async () => {
    const runner = runnerWith(20);
    let end = (_: CheckOutcome) => {};
    runner.register("slow", () => new Promise((done) => (end = done)), []);
    await runner.tick();
    end({ message: "late" });
    await sleep(1);
    expect(resultOf(runner, "slow")).toMatchObject({ message: null, error: "the check did not end within 20ms" });
    const next = runner.tick();
    end({ message: "in time" });
    await next;
    expect(resultOf(runner, "slow")).toMatchObject({ message: "in time", error: null, contiguousFailures: null });
  });

  it("the text of a thrown Failure is shown, and that of other errors is not", async () => {
    const runner = runnerWith();
    const throwing = (error: Error): Check => {
      return () => {
        throw error;
      };
    };
    runner.register("failure", throwing(new Failure("UNAVAILABLE", "the database cannot be reached")), []);
    runner.register("bug", throwing(new TypeError("secret at 10.0.0.7")), []);
    await runner.tick();
    const errors = runner.results.map(({ error }) => error);
    expect(errors).toEqual([
      "the database cannot be reached",
      "the check ended with an unexpected error; the log has the cause",
    ]);
  });

  it("a monotonic check that passed with a message never fails again and keeps that message; its timestamp advances", async () => {
    const runner = runnerWith();
    const outcomes: CheckOutcome[] = [
      { error: "x", message: ["s"] },
      {},
      { error: "y" },
      { message: [] },
      { error: "z" },
    ];
    runner.register(
      "bootstrapped",
      monotonic(async () => outcomes.shift() ?? { error: "none left" }),
      [],
    );
    const seen: HealthCheck[] = [];
    for (let run = 0; run < 7; run++) {
      await runner.tick();
      seen.push(resultOf(runner, "bootstrapped"));
    }
    expect(seen.map(({ error }) => error)).toEqual(["x", null, "y", null, null, null, null]);
    expect(seen.slice(3).map(({ message }) => message)).toEqual([[], [], [], []]);
    expect(new Set(seen.map(({ timestamp }) => timestamp)).size).toBe(7);
    expect(outcomes).toHaveLength(1);
  });
});

/** The runs of one check of a real node, in order; answers of the same run count once. */
function runsOf(file: string, name: string): RecordedCheck[] {
  const answers = recordedHealth(file).filter(({ path }) => path === "/ext/health");
  const all = answers.flatMap(({ checks }) => checks[name] ?? []);
  return all.filter((check, i) => check.timestamp !== all[i - 1]?.timestamp);
}

const SEQUENCES = ["health-outage-2s", "health-alone-2s", "health-start-2s", "health-no-peers", "health-outage-30s"];

/** False if a run between two recorded ones was not recorded: then the counter jumps, and the first failure is missing. */
function isComplete(check: RecordedCheck, previous: RecordedCheck | undefined): boolean {
  return (check.contiguousFailures ?? 0) <= (previous?.contiguousFailures ?? 0) + 1;
}

describe("the recorded check results of a real node, replayed to the runner", () => {
  it.each(SEQUENCES)("%s: every counter and every time of a first failure equals the recorded one", async (file) => {
    const names = new Set(recordedHealth(file).flatMap(({ checks }) => Object.keys(checks)));
    let compared = 0;
    let failing = 0;
    for (const name of names) {
      const runs = runsOf(file, name);
      let nowNs = 0n;
      const runner = createCheckRunner({
        clock: { nowNs: () => nowNs },
        timeLimitMs: 2_000,
        logger: createLogger("silent"),
      });
      let outcome: CheckOutcome = {};
      runner.register(name, async () => outcome, []);
      let firstFailure: string | null = null;
      for (const [i, run] of runs.entries()) {
        if (run.error === "not yet run") {
          expect(resultOf(runner, name)).toMatchObject({ error: run.error, timestamp: run.timestamp });
          expect(run).toEqual({ error: "not yet run", timestamp: "0001-01-01T00:00:00Z", duration: 0 });
          continue;
        }
        const missed = isComplete(run, runs[i - 1])
          ? 0
          : (run.contiguousFailures ?? 0) - 1 - (runs[i - 1]?.contiguousFailures ?? 0);
        outcome = { ...(run.error === undefined ? {} : { error: run.error }), message: run.message };
        nowNs = epochNs(run.timeOfFirstFailure ?? run.timestamp);
        for (let n = 0; n < missed; n++) await runner.tick();
        nowNs = epochNs(run.timestamp);
        await runner.tick();
        const result = resultOf(runner, name);
        expect(result.contiguousFailures).toBe(run.contiguousFailures ?? null);
        expect([result.error, result.message]).toEqual([run.error ?? null, run.message ?? null]);
        expect(result.timeOfFirstFailure).toBe(run.timeOfFirstFailure ?? null);
        if (run.contiguousFailures === 1) expect(run.timeOfFirstFailure).toBe(run.timestamp);
        if ((run.contiguousFailures ?? 0) > 1 && firstFailure) expect(run.timeOfFirstFailure).toBe(firstFailure);
        firstFailure = run.timeOfFirstFailure ?? null;
        compared += 1;
        failing += run.error === undefined ? 0 : 1;
      }
    }
    expect(compared).toBeGreaterThan(20);
    expect(failing).toBeGreaterThan(0);
  });
});
