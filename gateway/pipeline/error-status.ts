import { type ExecutionArgs, type ExecutionResult, GraphQLError } from "graphql";
import type { GraphContext } from "./graph-context.ts";

export interface HttpOutcome {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Gives errors over HTTP a status and headers. `outcomeOf` returns null for an error that is a part of a result with status 200. The
 * runtime takes them from the extensions of an error, and removes them there.
 */
export function withStatus(
  result: ExecutionResult,
  { contextValue }: ExecutionArgs,
  outcomeOf: (error: GraphQLError) => HttpOutcome | null,
): ExecutionResult {
  if (!(contextValue as GraphContext)["req"] || !result.errors) return result;
  const errors = result.errors.map((error) => {
    const http = outcomeOf(error);
    return http ? new GraphQLError(error.message, { extensions: { code: error.extensions["code"], http } }) : error;
  });
  return { ...result, errors };
}
