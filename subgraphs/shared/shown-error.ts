import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { Failure } from "../../core/errors.ts";

/** What the protocol, not a resolver, has to say of a document, its variables or the request. */
const PROTOCOL_CODES = new Set([
  "GRAPHQL_PARSE_FAILED",
  "GRAPHQL_VALIDATION_FAILED",
  "OPERATION_RESOLUTION_FAILURE",
  "BAD_REQUEST",
  "BAD_USER_INPUT",
]);

/**
 * What a gateway gets to see of an error: a `Failure` as it is, a variable that does not fit as `INVALID_PARAMETER`, what
 * the protocol says as it is, and of a bug nothing but `INTERNAL`.
 */
export function shownError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { message, path, locations, extensions } = formatted;
  const own = failureOf(error)?.code;
  if (!own && isBug(error))
    return { message: "internal error", ...(path && { path }), extensions: { code: "INTERNAL" } };
  const code = own ?? (extensions?.["code"] === "BAD_USER_INPUT" ? "INVALID_PARAMETER" : extensions?.["code"]);
  return { message, ...(locations && { locations }), ...(path && { path }), extensions: { code } };
}

/** True for what nobody threw on purpose. */
export function isBug(error: unknown): boolean {
  if (failureOf(error)) return false;
  if (!(error instanceof GraphQLError) || error.path) return true;
  const code = error.extensions["code"];
  return code === undefined ? error.originalError !== undefined : !PROTOCOL_CODES.has(String(code));
}

function failureOf(error: unknown): Failure | null {
  if (error instanceof Failure) return error;
  return error instanceof GraphQLError ? failureOf(error.originalError) : null;
}
