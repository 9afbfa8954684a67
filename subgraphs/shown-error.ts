import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { Failure } from "../core/errors.ts";

/**
 * What a gateway gets to see of an error: a `Failure` as it is, a variable that does not fit as `INVALID_PARAMETER`, what
 * the protocol says of a document or request as it is, and of a bug nothing but `INTERNAL`.
 */
export function shownError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  if (isBug(error)) return { message: "internal error", path: formatted.path, extensions: { code: "INTERNAL" } };
  const code = failureOf(error)?.code ?? formatted.extensions?.["code"];
  const { stacktrace: _, ...extensions } = formatted.extensions ?? {};
  return { ...formatted, extensions: { ...extensions, code: code === "BAD_USER_INPUT" ? "INVALID_PARAMETER" : code } };
}

/** True for what nobody threw on purpose. The protocol's own errors have neither a path nor an error behind them. */
export function isBug(error: unknown): boolean {
  if (failureOf(error)) return false;
  return !(error instanceof GraphQLError) || error.path !== undefined || error.originalError !== undefined;
}

function failureOf(error: unknown): Failure | null {
  if (error instanceof Failure) return error;
  return error instanceof GraphQLError ? failureOf(error.originalError) : null;
}
