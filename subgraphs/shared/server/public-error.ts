import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { REQUEST_ERROR_CODES, translateError } from "../../../core/errors/errors.ts";
import type { Logger } from "../../../core/observability/logger.ts";

/**
 * The error as the gateway gets it: a failure with its code and message, an error in the request as it is, anything else
 * as `INTERNAL` without details. `formatted` is the form that Apollo Server would send.
 */
export function publicError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { message, path, locations, extensions } = formatted;
  if (isUnexpected(error))
    return { message: "internal error", ...(path && { path }), extensions: { code: "INTERNAL" } };
  const failure = error instanceof Error ? translateError(error) : null;
  return {
    message: failure?.message ?? message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { code: failure?.code ?? extensions?.["code"] },
  };
}

/** The errors of a result as the gateway gets them. Logs the unexpected ones. */
export function publicErrors(
  errors: readonly GraphQLError[],
  requestId: string,
  logger: Logger,
): GraphQLFormattedError[] {
  return errors.map((error) => {
    logUnexpected(error, requestId, logger);
    return publicError(error.toJSON(), error);
  });
}

/** True if the error is neither a failure nor an error in the request. */
function isUnexpected(error: unknown): boolean {
  if (!(error instanceof GraphQLError)) return true;
  if (translateError(error)) return false;
  return error.path !== undefined || !REQUEST_ERROR_CODES.has(error.extensions["code"]);
}

/** Writes an error that is neither a failure nor an error in the request to the log. */
export function logUnexpected(error: GraphQLError, requestId: string, logger: Logger): void {
  if (isUnexpected(error))
    logger.error({ requestId, path: error.path, err: error.originalError ?? error }, "a GraphQL operation failed");
}
