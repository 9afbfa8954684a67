import type { Child } from "./child.ts";
import type { Load, Target } from "./load.ts";

const ROUNDS = 20;
const WARM_UP_MS = 1_000;
const ROUND_MS = 250;

/** A way to ask a server for something. */
export interface Contender {
  readonly name: string;
  readonly server: Child;
  readonly target: Target;
  readonly load: Load;
}

/** How a contender did against the first of its race; medians of all rounds. */
export interface Standing {
  readonly name: string;
  readonly requestsPerSecond: number;
  /** Processor time of its server, in milliseconds a request. */
  readonly cpuMs: number;
  /** Its requests a second by the first's, round by round. */
  readonly ratio: number;
  readonly worst: number;
  readonly best: number;
  /** The first's processor time by its own. */
  readonly cpuRatio: number;
}

interface Lap {
  readonly requestsPerSecond: number;
  readonly cpuMs: number;
}

/** Lets all contenders run in turn, round by round, so that whatever else the machine does befalls them alike. */
export async function race(contenders: readonly Contender[]): Promise<Standing[]> {
  for (const { target, load } of contenders) await target.press(load, WARM_UP_MS);
  const laps = contenders.map((): Lap[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, contender] of contenders.entries()) laps[at]?.push(await lap(contender));
  const [first = []] = laps;
  return contenders.map(({ name }, at) => standingOf(name, laps[at] ?? [], first));
}

async function lap({ server, target, load }: Contender): Promise<Lap> {
  const before = await server.cpuMs();
  const { requests, ms } = await target.press(load, ROUND_MS);
  return { requestsPerSecond: (requests * 1_000) / ms, cpuMs: ((await server.cpuMs()) - before) / requests };
}

function standingOf(name: string, laps: readonly Lap[], first: readonly Lap[]): Standing {
  const ratios = laps.map(({ requestsPerSecond }, round) => requestsPerSecond / (first[round]?.requestsPerSecond ?? 0));
  return {
    name,
    requestsPerSecond: median(laps.map((one) => one.requestsPerSecond)),
    cpuMs: median(laps.map((one) => one.cpuMs)),
    ratio: median(ratios),
    worst: Math.min(...ratios),
    best: Math.max(...ratios),
    cpuRatio: median(laps.map(({ cpuMs }, round) => (first[round]?.cpuMs ?? 0) / cpuMs)),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
