import { Failure, quoted } from "../../../core/errors/errors.ts";

/** The error for an invalid member of a request: where it is, the rule, and the value. */
export function invalid(path: string, rule: string, value: unknown): Failure {
  return new Failure("INVALID_PARAMETER", `${path} ${rule}, got ${quoted(value)}`);
}

/** The list without duplicates, sorted. */
export function sortedUnique(list: Iterable<string>): string[] {
  return [...new Set(list)].sort();
}
