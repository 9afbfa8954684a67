import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { type ExecutionResult, GraphQLError } from "graphql";
import type { GraphContext } from "./graph-context.ts";

/**
 * Turns errors that the executor throws, those of variables, into a result, which the other steps then see. Must be the last
 * step: a later step would replace the function that this step wraps.
 */
export function useVariableErrors(): GatewayPlugin<GraphContext> {
  return {
    onExecute({ executeFn, setExecuteFn }) {
      setExecuteFn(withErrorsAsResult(executeFn));
    },
    onSubscribe({ subscribeFn, setSubscribeFn }) {
      setSubscribeFn(withErrorsAsResult(subscribeFn));
    },
  };
}

type Run<Args extends readonly unknown[], Result> = (...args: Args) => Result | PromiseLike<Result>;

function withErrorsAsResult<Args extends readonly unknown[], Result>(
  run: Run<Args, Result>,
): (...args: Args) => Promise<Result | ExecutionResult> {
  return async (...args) => {
    try {
      return await run(...args);
    } catch (error) {
      const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
      const graphqlErrors = errors.filter((one) => one instanceof GraphQLError);
      if (graphqlErrors.length < errors.length) throw error;
      return { errors: graphqlErrors };
    }
  };
}
