import type { GraphQLError } from "graphql";
import { Failure, type FailureCode, isFailureCode } from "../../core/errors.ts";

/** Codes of the libraries below the graph that are not a bug of ours. */
const FOREIGN_CODES: Readonly<Record<string, FailureCode>> = {
  BAD_USER_INPUT: "INVALID_PARAMETER",
  DOWNSTREAM_SERVICE_ERROR: "UPSTREAM_FAILED",
  SUBREQUEST_HTTP_ERROR: "UPSTREAM_FAILED",
  GATEWAY_TIMEOUT: "UNAVAILABLE",
  TIMEOUT_ERROR: "UNAVAILABLE",
};

/** What callers may read of a failure of ours: the cause goes to the log. */
const UNSAID: Readonly<Partial<Record<FailureCode, string>>> = {
  UPSTREAM_FAILED: "a part of the service gave no valid answer",
  UNAVAILABLE: "a part of the service is not available, try again later",
};

/** The failure that an error of the graph means. A code that the table lacks is a bug: `INTERNAL`. */
export function failureOf(error: GraphQLError): Failure {
  const code = error.extensions["code"];
  if (isFailureCode(code)) return new Failure(code, error.message, error);
  const known = typeof code === "string" ? FOREIGN_CODES[code] : undefined;
  return known ? new Failure(known, UNSAID[known] ?? error.message, error) : internal(error);
}

/** Anything caught, as a failure. */
export function failureOfThrown(error: unknown): Failure {
  return error instanceof Failure ? error : internal(error);
}

function internal(cause: unknown): Failure {
  return new Failure("INTERNAL", messageOf(cause), cause);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** What callers read: an unexpected failure only names the request, by which the log tells more. */
export function told(failure: Failure, requestId: string): Failure {
  if (failure.code !== "INTERNAL") return failure;
  return new Failure("INTERNAL", `unexpected error, the log has it under request id ${requestId}`);
}
