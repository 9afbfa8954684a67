import { GraphQLError } from "graphql";
import { codeOf } from "../../core/errors/errors.ts";

/** A request that names no operation that can run. Its result has errors and no data. */
export class RequestError extends Error {
  readonly errors: readonly GraphQLError[];
  /** The HTTP status; null if it depends on the media type of the answer. */
  readonly status: number | null;
  /** The methods that the resource has, for the status 405. */
  readonly allow: string | null;

  constructor(errors: readonly GraphQLError[], status: number | null = null, allow: string | null = null) {
    super(errors[0]?.message);
    this.errors = errors;
    this.status = status;
    this.allow = allow;
  }
}

/** A request error with one error, with a code that GraphQL servers use. */
export function requestError(code: string, message: string, status: number | null = null): RequestError {
  return new RequestError([new GraphQLError(message, { extensions: { code } })], status);
}

/** The same error with a code, unless it has one. */
export function withCode(error: GraphQLError, code: string): GraphQLError {
  if (codeOf(error) !== undefined) return error;
  const { message, nodes, source, positions } = error;
  return new GraphQLError(message, { nodes, source, positions, extensions: { code } });
}
