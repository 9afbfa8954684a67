import { type ExecutionArgs, type ExecutionResult, GraphQLError } from "graphql";
import type { GraphContext } from "./graph-context.ts";

export interface HttpOutcome {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

type OutcomeOf = (error: GraphQLError) => HttpOutcome | null;

/** The result of an operation that is refused with a GraphQL error. Any other error is a bug and is thrown again. */
export function refusalFor(error: unknown): ExecutionResult {
  if (error instanceof GraphQLError) return { data: null, errors: [error] };
  throw error;
}

/**
 * The hooks of a step that has refused an operation: they give its errors a status and headers. The step of public errors runs
 * before, and removes what is not public. `outcomeOf` returns null for an error that is a part of a result with status 200.
 */
export function refusedHooks(args: ExecutionArgs, outcomeOf: OutcomeOf) {
  const answer = ({ result, setResult }: Refused) => setResult(withStatus(result as ExecutionResult, args, outcomeOf));
  return { onExecuteDone: answer, onSubscribeResult: answer };
}

interface Refused {
  readonly result: unknown;
  setResult(result: ExecutionResult): void;
}

/** Over HTTP, the runtime takes status and headers from the extensions of an error, and removes them there. */
function withStatus(result: ExecutionResult, { contextValue }: ExecutionArgs, outcomeOf: OutcomeOf): ExecutionResult {
  if (!(contextValue as GraphContext)["req"] || !result.errors) return result;
  const errors = result.errors.map((error) => {
    const http = outcomeOf(error);
    return http ? new GraphQLError(error.message, { extensions: { code: error.extensions["code"], http } }) : error;
  });
  return { ...result, errors };
}
