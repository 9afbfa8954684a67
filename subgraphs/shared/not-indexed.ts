import { Failure } from "../../core/errors/errors.ts";

/** The progress of an indexer. Its state is null if it has never started. */
export interface IndexerProgress {
  readonly state: string | null;
  /** Why it waits, has stopped or rebuilds rows from stored blocks; null otherwise. */
  readonly reason: string | null;
}

/** Says that something is not indexed yet, with the state of its indexer and the reason. */
export function notIndexedText(what: string, { state, reason }: IndexerProgress): string {
  if (state === null) return `${what} is not indexed yet: its indexer has not started`;
  return `${what} is not indexed yet (${state})${reason === null ? "" : `: ${reason}`}`;
}

export function notIndexed(what: string, indexer: IndexerProgress): Failure {
  return new Failure("UNAVAILABLE", notIndexedText(what, indexer));
}
