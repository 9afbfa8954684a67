import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from "graphql";
import { Overloaded } from "../core/admission/overloaded.ts";
import { codeOf, DOCUMENT_ERROR_CODES, FAILURES, rootCause, translateError } from "../core/errors.ts";
import type { Logger } from "../core/logger.ts";

/**
 * The error that callers get: a failure with its code and message, an error in the document unchanged, any other error as
 * `INTERNAL` without details. Logs the causes of `INTERNAL` and of failures whose message is withheld.
 */
export function publicError(error: GraphQLError, requestId: string, logger: Logger): GraphQLError {
  // It is public as it is, and there may be thousands of them.
  if (error instanceof Overloaded) return error;
  const failure = translateError(error);
  if (failure) {
    const isMessageWithheld = failure.message !== error.message && FAILURES[failure.code].http >= 500;
    if (isMessageWithheld) logger.error({ requestId, path: error.path, err: rootCause(error) }, "a subgraph failed");
    return withCode(error, failure.message, failure.code);
  }
  const code = codeOf(error);
  if (DOCUMENT_ERROR_CODES.has(code)) return withCode(error, error.message, code);
  logger.error({ requestId, path: error.path, err: rootCause(error) }, "a GraphQL operation failed");
  return new GraphQLError("internal error", { path: error.path, extensions: { code: "INTERNAL" } });
}

/** A result with the errors that callers get. */
export function withPublicErrors(result: ExecutionResult, requestId: string, logger: Logger): ExecutionResult {
  if (!result.errors) return result;
  const errors = result.errors.map((error) => publicError(asGraphQLError(error), requestId, logger));
  return { data: null, ...result, errors };
}

function withCode({ path, nodes, source, positions }: GraphQLError, message: string, code: unknown): GraphQLError {
  return new GraphQLError(message, { path, nodes, source, positions, extensions: { code } });
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
