import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { type ExecutionResult, GraphQLError } from "graphql";
import type { GraphContext } from "./graph-context.ts";

/**
 * If the executor throws GraphQL errors, as it does for invalid variables, returns them as a result, so that the other steps see
 * them. Must come after all steps that replace the executing function, such as `usePassThrough`. Later steps may only wrap that
 * function.
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
