import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from "graphql";
import { codeOf, FAILURES, REQUEST_ERROR_CODES, rootCause, translateError } from "../core/errors/errors.ts";
import { Overloaded } from "../core/limits/admission/overloaded.ts";
import type { Logger } from "../core/observability/logger.ts";

/** Changes an error to the one that callers get. */
export type PublicError = (error: GraphQLError | GraphQLFormattedError, requestId: string) => GraphQLError;

/** An error of a subgraph of another team. Callers get its message and its code, which may be one that Moraine does not know. */
class ExternalError extends GraphQLError {}

/** The codes by which GraphQL servers, and Moraine, mark errors whose details are not for callers. */
const INTERNAL_CODES: ReadonlySet<unknown> = new Set(["INTERNAL_SERVER_ERROR", "INTERNAL"]);

/**
 * The errors that callers get: a failure with its code and message, an error in the request and one of another team unchanged, any other error
 * as `INTERNAL` without details. Logs the causes of `INTERNAL` and of failures whose message is withheld. If `hidesNames` is true, errors suggest no names, from
 * which the schema could be guessed.
 */
export function createPublicErrors(logger: Logger, hidesNames: boolean): PublicError {
  const publicError: PublicError = (given, requestId) => {
    // It is public as it is, and there may be thousands of them.
    if (given instanceof Overloaded) return given;
    const error = asGraphQLError(given);
    if (rootCause(error) instanceof ExternalError) return withCode(error, error.message, codeOf(error));
    const failure = translateError(error);
    if (failure) {
      const isMessageWithheld = failure.message !== error.message && FAILURES[failure.code].http >= 500;
      if (isMessageWithheld) logger.error({ requestId, path: error.path, err: rootCause(error) }, "a subgraph failed");
      return withCode(error, failure.message, failure.code);
    }
    const code = codeOf(error);
    if (REQUEST_ERROR_CODES.has(code)) return withCode(error, error.message, code);
    logger.error({ requestId, path: error.path, err: rootCause(error) }, "a GraphQL operation failed");
    return new GraphQLError("internal error", { path: error.path, extensions: { code: "INTERNAL" } });
  };
  return hidesNames ? (error, requestId) => withoutSuggestion(publicError(error, requestId)) : publicError;
}

/** A result with the errors that callers get. */
export function withPublicErrors(
  result: ExecutionResult,
  publicError: PublicError,
  requestId: string,
): ExecutionResult {
  if (!result.errors) return result;
  return { ...result, errors: result.errors.map((error) => publicError(error, requestId)) };
}

/** The suggestions of graphql-js, which are the same in all processes, because all of them use its schemas. */
const SUGGESTION = / Did you mean .*\?$/;

function withoutSuggestion(error: GraphQLError): GraphQLError {
  return SUGGESTION.test(error.message) ? withCode(error, error.message.replace(SUGGESTION, ""), codeOf(error)) : error;
}

function withCode({ path, nodes, source, positions }: GraphQLError, message: string, code: unknown): GraphQLError {
  return new GraphQLError(message, { path, nodes, source, positions, extensions: { code } });
}

/** A result that another process sent, with its errors as instances of `GraphQLError`. `isExternal`: it is that of another team. */
export function receivedResult(result: ExecutionResult, isExternal = false): ExecutionResult {
  if (!result.errors) return result;
  return { ...result, errors: result.errors.map(isExternal ? asExternalError : asGraphQLError) };
}

/** An error without a code gets `UPSTREAM_FAILED`. What the gateway itself reports about the subgraph is not changed. */
function asExternalError(error: GraphQLError | GraphQLFormattedError): GraphQLError {
  const { message, path, extensions } = error;
  const code = extensions?.["code"] ?? "UPSTREAM_FAILED";
  if (error instanceof GraphQLError || INTERNAL_CODES.has(code)) return asGraphQLError(error);
  return new ExternalError(message, { path: path ?? null, extensions: { code } });
}

/** Converts an error that another process sent, a plain object, to a `GraphQLError`. */
export function asGraphQLError(error: GraphQLError | GraphQLFormattedError): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const { message, path, extensions } = error;
  return new GraphQLError(message, {
    path: path ?? null,
    extensions: extensions ?? null,
    originalError: error instanceof Error ? error : null,
  });
}
