import type { GraphQLError } from "graphql";
import { Failure, type FailureCode, isFailureCode, messageOf } from "../../core/errors.ts";

/** Error codes of libraries below the graph, and what they mean. Any other unknown code is a bug. */
const FOREIGN_CODES: Readonly<Record<string, FailureCode>> = {
  BAD_USER_INPUT: "INVALID_PARAMETER",
  DOWNSTREAM_SERVICE_ERROR: "UPSTREAM_FAILED",
  SUBREQUEST_HTTP_ERROR: "UPSTREAM_FAILED",
  GATEWAY_TIMEOUT: "UNAVAILABLE",
  TIMEOUT_ERROR: "UNAVAILABLE",
};

/** Messages that replace those of libraries, which may contain internal details. The original message is logged. */
const PUBLIC_MESSAGES: Readonly<Partial<Record<FailureCode, string>>> = {
  UPSTREAM_FAILED: "a part of the service gave no valid answer",
  UNAVAILABLE: "a part of the service is not available, try again later",
};

/** Translates an error of the graph into a failure. An unknown error code becomes `INTERNAL`. */
export function failureOf(error: GraphQLError): Failure {
  const code = error.extensions["code"];
  if (isFailureCode(code)) return new Failure(code, error.message, error);
  const known = typeof code === "string" ? FOREIGN_CODES[code] : undefined;
  return known ? new Failure(known, PUBLIC_MESSAGES[known] ?? error.message, error) : internal(error);
}

/** Translates anything thrown into a failure. Anything but a `Failure` becomes `INTERNAL`. */
export function failureOfThrown(error: unknown): Failure {
  return error instanceof Failure ? error : internal(error);
}

function internal(cause: unknown): Failure {
  return new Failure("INTERNAL", messageOf(cause), cause);
}

/** The message that callers see. The message of an `INTERNAL` failure contains only the request id, which finds the log line. */
export function publicMessage(failure: Failure, requestId: string): string {
  if (failure.code !== "INTERNAL") return failure.message;
  return `unexpected error, the log has it under request id ${requestId}`;
}
