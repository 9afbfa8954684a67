import { version } from "../version.ts";

export const late = `late ${version}`;

export function failure(): Error {
  return new Error("failed");
}

/** As errors of graphql do, it adds lines to its text. */
class LocatedError extends Error {
  override toString(): string {
    return `${this.message}\n\nGraphQL request:1:1`;
  }
}

/** Errors whose stack traces begin in an unusual way: one has a text of its own, the other cannot be made into text. */
export function unusualFailures(): readonly Error[] {
  return [new LocatedError("failed"), Object.assign(new Error("failed"), { name: Symbol("unusual") })];
}
