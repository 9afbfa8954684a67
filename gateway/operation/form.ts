import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema } from "graphql";
import { isEventStream, mapEvents } from "../../core/graph/event-stream.ts";
import type { Executable } from "../plan/executable.ts";
import { type Fetch, resultOf } from "../plan/fetch.ts";
import type { Planner } from "../plan/planner.ts";
import { splitQuery } from "./introspection.ts";
import type { NormalisedOperation } from "./normalise.ts";
import { type ResponseNames, restoreNames } from "./response-names.ts";

/** Plans and compiles a normalised operation. Introspection is answered from the schema, because the planner does not accept it. */
export function compileForm(
  planner: Planner,
  schema: GraphQLSchema,
  { document, names }: NormalisedOperation,
  operationName: string | null,
): Executable {
  if (!document) return EMPTY;
  const split = splitQuery(document, operationName);
  if (!split) return withNames(planner.compile(document, operationName), names);
  const rest = split.rest ? planner.compile(split.rest, operationName) : EMPTY;
  const described = describe(schema, split.introspection, operationName);
  return withNames({ ...EMPTY, run: both(described, rest.run, split.names) }, names);
}

/** `@skip` and `@include` exclude every field. */
const EMPTY: Executable = {
  run: async () => ({ data: {} }),
  subscribe: async () => ({ data: {} }),
  compileValue: () => null,
};

function describe(schema: GraphQLSchema, document: DocumentNode, operationName: string | null): Fetch {
  return async (variableValues) => execute({ schema, document, operationName, variableValues });
}

/** Answers `__schema` and `__type` by one function, and the other root fields of the same query by another one. */
function both(describeSchema: Fetch, runRest: Fetch, names: readonly string[]): Fetch {
  return async (variables, request) => {
    const described = resultOf(await describeSchema(variables, request));
    const answered = resultOf(await runRest(variables, request));
    // A request error of either.
    if (!("data" in described) || !("data" in answered)) return "data" in described ? answered : described;
    const errors = [...(described.errors ?? []), ...(answered.errors ?? [])];
    const failed = errors.length > 0 ? { errors } : {};
    if (!described.data || !answered.data) return { ...failed, data: null };
    const values = { ...described.data, ...answered.data };
    return { ...failed, data: Object.fromEntries(names.map((name) => [name, values[name]])) };
  };
}

/** The same operation with the names in its results that the caller asked for. */
function withNames(executable: Executable, names: ResponseNames | null): Executable {
  if (!names) return executable;
  const restored = (result: ExecutionResult) => restoreNames(result, names);
  return {
    compileValue: () => null,
    run: async (variables, request) => restored(resultOf(await executable.run(variables, request))),
    async subscribe(...args) {
      const outcome = await executable.subscribe(...args);
      return isEventStream(outcome) ? mapEvents(outcome, restored) : restored(outcome);
    },
  };
}
