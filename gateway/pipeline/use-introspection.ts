import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
} from "graphql";
import { isEventStream } from "../../core/event-stream.ts";
import { type SplitQuery, splitQuery } from "../introspection.ts";
import type { GraphContext } from "./graph-context.ts";
import { perOperation } from "./per-operation.ts";

/** Answers `__schema` and `__type` from the schema, and the other root fields of the same query from the subgraphs. */
export function useIntrospection(): GatewayPlugin<GraphContext> {
  const splitOf = perOperation<SplitQuery | null>(splitQuery);
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const split = splitOf(args);
      if (!split) return;
      const { introspection, rest, names } = split;
      setExecuteFn(async (execution: ExecutionArgs) => {
        const described = await execute({ ...execution, document: introspection });
        if (!rest) return described;
        const answered = (await executeFn({ ...execution, document: rest })) as ExecutionResult;
        return merged(described, answered, names);
      });
    },
  };
}

/**
 * Refuses `__schema` and `__type` as invalid. Errors suggest no names, from which the schema could be guessed. Must come before all steps
 * that refuse or execute operations.
 */
export function useNoIntrospection(): GatewayPlugin<GraphContext> {
  return {
    onExecute: () => ({
      onExecuteDone({ result, setResult }) {
        if (!isEventStream(result)) setResult(resultWithoutSuggestions(result));
      },
    }),
    onSubscribe: () => ({
      onSubscribeResult({ result, setResult }) {
        if (!isEventStream(result)) {
          setResult(resultWithoutSuggestions(result));
          return undefined;
        }
        return { onNext: ({ result: event, setResult: setEvent }) => setEvent(resultWithoutSuggestions(event)) };
      },
    }),
    onValidate({ addValidationRule }) {
      addValidationRule(NoSchemaIntrospectionCustomRule);
      return ({ valid, result, setResult }) => {
        if (!valid) setResult((result as readonly GraphQLError[]).map(withoutSuggestions));
      };
    },
  };
}

function resultWithoutSuggestions(result: ExecutionResult): ExecutionResult {
  return result.errors ? { ...result, errors: result.errors.map(withoutSuggestions) } : result;
}

/** The suggestions of graphql-js, which are the same in all processes, because all of them use its schemas. */
const SUGGESTION = / Did you mean .*\?$/;

function withoutSuggestions(error: GraphQLError): GraphQLError {
  if (!SUGGESTION.test(error.message)) return error;
  const { message, nodes, source, positions, path, extensions, originalError } = error;
  const options = { nodes, source, positions, path, extensions, originalError };
  return new GraphQLError(message.replace(SUGGESTION, ""), options);
}

function merged(described: ExecutionResult, answered: ExecutionResult, names: readonly string[]): ExecutionResult {
  const errors = [...(described.errors ?? []), ...(answered.errors ?? [])];
  const failed = errors.length > 0 ? { errors } : {};
  if (!described.data || !answered.data) return { ...failed, data: null };
  const values = { ...described.data, ...answered.data };
  return { ...failed, data: Object.fromEntries(names.map((name) => [name, values[name]])) };
}
