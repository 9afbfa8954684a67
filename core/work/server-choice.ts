import type { Work } from "./work.ts";

/**
 * Which servers of the databases the statements of some work are read from. A work without a choice reads from primary servers, so that only
 * work whose caller repeats doubtful reads can be read from replicas.
 */
interface ServerChoice {
  /** True if all further statements are read from primary servers. */
  readonly isPrimary: boolean;
  /** True if a statement was read from a replica. */
  wasReplica: boolean;
  /** True if something that was asked for was not found. */
  isMissing: boolean;
  /** The replica of each database; null for its primary server. The keys are the databases' own. */
  readonly replicas: Map<object, unknown>;
}

const choices = new WeakMap<Work, ServerChoice>();

/** The choice for this work; undefined if it reads from primary servers. */
export const serverChoiceOf = (work: Work): ServerChoice | undefined => choices.get(work);

/**
 * Allows the statements of this work to be read from replicas, for each database from the same one. Does nothing after `readFromPrimary`.
 */
function allowReplicas(work: Work): void {
  if (!choices.has(work)) choices.set(work, newChoice(false));
}

/** From now on, the statements of this work are read from primary servers. Returns true if one was read from a replica before. */
export function readFromPrimary(work: Work): boolean {
  const { wasReplica, isMissing } = choices.get(work) ?? newChoice(true);
  choices.set(work, { ...newChoice(true), wasReplica, isMissing });
  return wasReplica;
}

const newChoice = (isPrimary: boolean): ServerChoice => ({
  isPrimary,
  wasReplica: false,
  isMissing: false,
  replicas: new Map(),
});

/** Notes that something that was asked for was not found: a replica that is behind may not have it yet. */
export function noteMissing(work: Work): void {
  const choice = choices.get(work);
  if (choice) choice.isMissing = true;
}

/** Notes that something is missing if a root field found nothing, or not all of the entities that it was asked for. */
export function noteMissingRoots(values: readonly unknown[], work: Work): void {
  if (values.some(isMissing)) noteMissing(work);
}

const isMissing = (value: unknown): boolean =>
  (value ?? null) === null || (Array.isArray(value) && value.some((item) => (item ?? null) === null));

/**
 * Reads something for some work, from replicas where they can be used. If what was read has errors, or something was not found, it is read
 * once more from primary servers: the reason may be that a replica is behind or was lost.
 */
export async function readAnywhere<Result>(
  work: Work,
  read: () => Promise<Result>,
  hasErrors: (result: Result) => boolean,
): Promise<Result> {
  allowReplicas(work);
  const result = await read();
  const isDoubtful = choices.get(work)?.isMissing || hasErrors(result);
  return readFromPrimary(work) && isDoubtful && !work.reason ? read() : result;
}
