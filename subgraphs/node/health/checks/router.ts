import type { Check } from "../check.ts";
import type { HealthClock } from "../clock.ts";
import { goDuration } from "../go-text.ts";
import { withinLimit } from "../time-limit.ts";

/** Asks a part of the service anything; rejects when it does not answer as it should. */
export type Probe = (signal: AbortSignal) => Promise<unknown>;

export interface RouterCheckDeps {
  /** By the name of the part. */
  readonly probes: Readonly<Record<string, Probe>>;
  readonly timeLimitMs: number;
  readonly clock: HealthClock;
}

interface Answer {
  readonly name: string;
  readonly problem: string | null;
  readonly tookNs: bigint;
}

/** Passes when every part answers within that time. A request without an answer is outstanding until it ends; the part is not asked again meanwhile. */
export function routerCheck({ probes, timeLimitMs, clock }: RouterCheckDeps): Check {
  const outstanding = new Map<string, bigint>();
  const late = `no answer within ${goDuration(BigInt(timeLimitMs) * 1_000_000n)}`;
  const begin = (name: string, probe: Probe): Promise<string | null> => {
    outstanding.set(name, clock.nowNs());
    const task = async (signal: AbortSignal): Promise<string | null> => {
      try {
        await probe(signal);
        return null;
      } catch {
        return "it does not answer as it should";
      } finally {
        outstanding.delete(name);
      }
    };
    return withinLimit(task, timeLimitMs, () => late);
  };
  const ask = async ([name, probe]: [string, Probe]): Promise<Answer> => {
    const since = outstanding.get(name);
    const startNs = since ?? clock.nowNs();
    const problem = since === undefined ? await begin(name, probe) : late;
    return { name, problem, tookNs: clock.nowNs() - startNs };
  };
  return async () => {
    const answers = await Promise.all(Object.entries(probes).map(ask));
    const waited = answers.filter(({ problem }) => problem === late).map(({ tookNs }) => tookNs);
    const message = {
      longestRunningRequest: goDuration(waited.toSorted((a, b) => Number(b - a))[0] ?? 0n),
      outstandingRequests: waited.length,
      parts: Object.fromEntries(answers.map(partOf)),
    };
    const problems = answers.flatMap(({ name, problem }) => (problem === null ? [] : [`${name}: ${problem}`]));
    if (problems.length === 0) return { message };
    return { message, error: `the router is not healthy reason: ${problems.join(", ")}` };
  };
}

function partOf({ name, problem, tookNs }: Answer): [string, object] {
  return [name, problem === null ? { healthy: true, responseTime: goDuration(tookNs) } : { healthy: false }];
}
