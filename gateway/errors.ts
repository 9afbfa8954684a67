import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { Failure, type FailureCode, isFailureCode } from "../core/errors.ts";
import type { Logger } from "../core/logger.ts";

/** Codes of others, translated once. */
const FOREIGN_CODES: Readonly<Record<string, FailureCode>> = {
  BAD_USER_INPUT: "INVALID_PARAMETER",
  DOWNSTREAM_SERVICE_ERROR: "UPSTREAM_FAILED",
  GATEWAY_TIMEOUT: "UNAVAILABLE",
};
/** What callers read of failures that others describe: their own words may tell too much. */
const FIXED_TEXTS: Readonly<Record<string, string>> = {
  UPSTREAM_FAILED: "a part of the graph failed",
  UNAVAILABLE: "a part of the graph does not answer",
};
/** Codes that the protocol gives to documents that are wrong; graph clients know them. */
const PROTOCOL_CODES = new Set(["GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED"]);

/**
 * What a caller gets to see of an error: a failure on purpose as it is, a wrong variable as `INVALID_PARAMETER`, and of
 * anything else, which is a bug and logged, nothing but `INTERNAL`.
 */
export function shownError(error: GraphQLError, requestId: string, logger: Logger): GraphQLError {
  const code = codeOf(error);
  if (code === null) {
    logger.error({ requestId, path: error.path, err: rootCause(error) }, "an operation failed");
    return new GraphQLError("internal error", { path: error.path, extensions: { code: "INTERNAL" } });
  }
  const isForeign = error.extensions?.["code"] !== code && FIXED_TEXTS[code] !== undefined;
  if (isForeign) logger.error({ requestId, path: error.path, err: rootCause(error) }, "a subgraph failed");
  const message = isForeign ? FIXED_TEXTS[code] : messageOf(error);
  return new GraphQLError(message ?? "", { path: error.path, nodes: error.nodes, extensions: { code } });
}

/** Of a variable that breaks a rule its name and the rule, which the executors do not all say. */
function messageOf(error: GraphQLError): string {
  const [, variable] = /^Variable "\$(\w+)"/.exec(error.message) ?? [];
  const cause = rootCause(error);
  return variable && cause instanceof Failure ? `${variable} ${cause.message}` : error.message;
}

/** An error as an error: one that came over the wire is a plain object. */
export function asGraphQLError(error: GraphQLError | GraphQLFormattedError): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const { message, path, extensions } = error;
  return new GraphQLError(message, {
    path: path ?? null,
    extensions: extensions ?? null,
    originalError: error instanceof Error ? error : null,
  });
}

function codeOf(error: GraphQLError): string | null {
  const code = rootCause(error) instanceof Failure ? (rootCause(error) as Failure).code : error.extensions?.["code"];
  if (isFailureCode(code) && code !== "INTERNAL") return code;
  if (typeof code === "string" && PROTOCOL_CODES.has(code)) return code;
  if (typeof code === "string" && FOREIGN_CODES[code]) return FOREIGN_CODES[code];
  const isCoercion = code === undefined && !error.path && /^Variable "\$/.test(error.message);
  return isCoercion ? "INVALID_PARAMETER" : null;
}

function rootCause(error: Error): Error {
  const original = error instanceof GraphQLError ? error.originalError : undefined;
  return original ? rootCause(original) : error;
}
