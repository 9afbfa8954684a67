import type { GraphQLError } from "graphql";
import { Failure, messageOf, translateError } from "../core/errors.ts";

/** The failure that an error of the graph means. `INTERNAL` if it is none that the graph defines. */
export function failureOf(error: GraphQLError): Failure {
  return translateError(error) ?? internal(error);
}

/** Anything caught, as a failure. */
export function failureOfThrown(error: unknown): Failure {
  return error instanceof Failure ? error : internal(error);
}

function internal(cause: unknown): Failure {
  return new Failure("INTERNAL", messageOf(cause), cause);
}

/** What callers read: an unexpected failure only names the request, by which the log tells more. */
export function told(failure: Failure, requestId: string): Failure {
  if (failure.code !== "INTERNAL") return failure;
  return new Failure("INTERNAL", `unexpected error, the log has it under request id ${requestId}`);
}
