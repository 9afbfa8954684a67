import { descriptorShortage } from "../../../../core/processes/descriptors.ts";
import type { Check } from "../runner/check.ts";
import type { HealthClock } from "../runner/clock.ts";
import { goDuration } from "../runner/go-format.ts";
import { withinLimit } from "../runner/time-limit.ts";

/** Sends a request to a part of the service. Rejects if the answer is missing or wrong. */
export type Probe = (signal: AbortSignal) => Promise<unknown>;

export interface RouterCheckDeps {
  /** Probes by name of the part. */
  readonly probes: Readonly<Record<string, Probe>>;
  readonly timeLimitMs: number;
  readonly clock: HealthClock;
  /** See `HealthDeps`. */
  readonly supergraph?: (() => object | null) | undefined;
}

interface Answer {
  readonly name: string;
  readonly problem: string | null;
  readonly tookNs: bigint;
}

/**
 * Passes if every part answers within the time limit, and the process has file descriptors left. While a request to a part is running, no
 * other request is sent to it.
 */
export function routerCheck({ probes, timeLimitMs, clock, supergraph = () => null }: RouterCheckDeps): Check {
  const outstanding = new Map<string, bigint>();
  const late = `no answer within ${goDuration(BigInt(timeLimitMs) * 1_000_000n)}`;
  const begin = (name: string, probe: Probe): Promise<string | null> => {
    outstanding.set(name, clock.nowNs());
    const task = async (signal: AbortSignal): Promise<string | null> => {
      try {
        await probe(signal);
        return null;
      } catch {
        return "it did not answer correctly";
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
    const loaded = supergraph();
    const message = {
      longestRunningRequest: goDuration(waited.toSorted((a, b) => Number(b - a))[0] ?? 0n),
      outstandingRequests: waited.length,
      parts: Object.fromEntries(answers.map(partOf)),
      ...(loaded && { supergraph: loaded }),
    };
    const problems = answers.flatMap(({ name, problem }) => (problem === null ? [] : [`${name}: ${problem}`]));
    const shortage = await descriptorShortage();
    if (shortage) problems.push(shortage);
    if (problems.length === 0) return { message };
    return { message, error: `the router is not healthy reason: ${problems.join(", ")}` };
  };
}

function partOf({ name, problem, tookNs }: Answer): [string, object] {
  return [name, problem === null ? { healthy: true, responseTime: goDuration(tookNs) } : { healthy: false }];
}
