import type { GraphQLError } from "graphql";
import { Failure, messageOf, translateError } from "../../core/errors/errors.ts";

/** Translates an error of the graph into a failure. An unknown error code becomes `INTERNAL`. */
export function failureOf(error: GraphQLError): Failure {
  return translateError(error) ?? internal(error);
}

/** Translates a thrown value into a failure. A value that is not a `Failure` becomes `INTERNAL`. */
export function failureOfThrown(error: unknown): Failure {
  return error instanceof Failure ? error : internal(error);
}

function internal(cause: unknown): Failure {
  return new Failure("INTERNAL", messageOf(cause), cause);
}

/**
 * The message that callers see. The message of an `INTERNAL` failure contains only the request id, which finds the log line.
 */
export function publicMessage(failure: Failure, requestId: string): string {
  if (failure.code !== "INTERNAL") return failure.message;
  return `unexpected error, the log has it under request id ${requestId}`;
}
