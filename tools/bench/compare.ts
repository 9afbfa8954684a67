import type { Child } from "./child.ts";
import type { Load, NextLoad, Target } from "./load.ts";

/** Both servers still become faster in the first seconds of a request, while V8 optimises their code. */
const ROUNDS: RoundOptions = { warmUpMs: 3_000, count: 20, ms: 250 };

/** A request to a server, or several in turns, under a name. */
export interface Candidate {
  readonly name: string;
  readonly server: Child;
  readonly target: Target;
  readonly load: Load | NextLoad;
  /** Processor time that the server's database has used, in milliseconds. Default: not measured. */
  databaseMs?(): Promise<number>;
}

/** Figures of a candidate, compared with the first candidate: medians of all rounds. */
export interface Figures {
  readonly name: string;
  readonly requestsPerSecond: number;
  /** Processor time of its server per request, in milliseconds. */
  readonly cpuMs: number;
  /** Processor time of its database per request, in milliseconds; NaN if it is not measured. */
  readonly databaseMs: number;
  /** Its requests per second divided by those of the first candidate in the same round. `worst` and `best` are single rounds. */
  readonly ratio: number;
  readonly worst: number;
  readonly best: number;
  /** Processor time per request of the first candidate divided by its own. */
  readonly cpuRatio: number;
}

/** What was measured in one round. */
interface Round {
  readonly requestsPerSecond: number;
  readonly cpuMs: number;
  readonly databaseMs: number;
}

interface RoundOptions {
  /** For how long each candidate is sent requests before the rounds. */
  readonly warmUpMs: number;
  readonly count: number;
  /** Length of a round in milliseconds. */
  readonly ms: number;
}

/** Measures all candidates, and compares them with the first one. */
export function compare(candidates: readonly Candidate[]): Promise<Figures[]> {
  return measureInTurns(candidates, ROUNDS);
}

/** The same with other rounds. */
export async function measureInTurns(candidates: readonly Candidate[], options: RoundOptions): Promise<Figures[]> {
  const rounds = await measureRounds(candidates, options);
  return compareRounds(
    candidates.map(({ name }) => name),
    rounds,
  );
}

/**
 * Measures all candidates in turn, round by round, so that other load on the machine affects them equally. Every other round has the
 * opposite order. Returns the rounds of each candidate.
 */
async function measureRounds(
  candidates: readonly Candidate[],
  { warmUpMs, count, ms }: RoundOptions,
): Promise<Round[][]> {
  for (const { target, load } of candidates) await target.sendRepeatedly(load, warmUpMs);
  const rounds = candidates.map((): Round[] => []);
  const order = [...candidates.entries()];
  for (let round = 0; round < count; round++) {
    for (const [at, candidate] of order) rounds[at]?.push(await measureRound(candidate, ms));
    order.reverse();
  }
  return rounds;
}

/** Compares candidates by their rounds: the nth rounds of all were measured together. */
function compareRounds(names: readonly string[], rounds: readonly (readonly Round[])[]): Figures[] {
  const [first = []] = rounds;
  return names.map((name, at) => figuresOf(name, rounds[at] ?? [], first));
}

async function measureRound(
  { server, target, load, databaseMs = unmeasured }: Candidate,
  roundMs: number,
): Promise<Round> {
  const times = () => Promise.all([server.cpuMs(), databaseMs()]);
  const before = await times();
  const { requests, ms } = await target.sendRepeatedly(load, roundMs);
  const after = await times();
  return {
    requestsPerSecond: (requests * 1_000) / ms,
    cpuMs: (after[0] - before[0]) / requests,
    databaseMs: (after[1] - before[1]) / requests,
  };
}

const unmeasured = async (): Promise<number> => Number.NaN;

function figuresOf(name: string, rounds: readonly Round[], first: readonly Round[]): Figures {
  const ratios = rounds.map(
    ({ requestsPerSecond }, round) => requestsPerSecond / (first[round]?.requestsPerSecond ?? 0),
  );
  return {
    name,
    requestsPerSecond: median(rounds.map((one) => one.requestsPerSecond)),
    cpuMs: median(rounds.map((one) => one.cpuMs)),
    databaseMs: median(rounds.map((one) => one.databaseMs)),
    ratio: median(ratios),
    worst: Math.min(...ratios),
    best: Math.max(...ratios),
    cpuRatio: median(rounds.map(({ cpuMs }, round) => (first[round]?.cpuMs ?? 0) / cpuMs)),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
