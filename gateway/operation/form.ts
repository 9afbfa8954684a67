import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema } from "graphql";
import { isEventStream, mapEvents } from "../../core/graph/event-stream.ts";
import { type Executable, executableOf } from "../plan/executable.ts";
import { type Fetch, resultOf } from "../plan/fetch.ts";
import type { Planner } from "../plan/planner.ts";
import { SERVICE_FIELD } from "../schemas/federation-fields.ts";
import type { NormalisedOperation } from "./normalise.ts";
import { type ResponseNames, restoreNames } from "./response-names.ts";
import { splitQuery } from "./split-query.ts";

/** What operations of one kind of callers are compiled with. */
export interface FormContext {
  readonly planner: Planner;
  /** The schema of their operations. */
  readonly schema: GraphQLSchema;
  /** The schema that introspection describes. */
  readonly describedSchema: GraphQLSchema;
}

/** Plans and compiles a normalised operation. What the planner does not accept is answered in another way: introspection from the schema. */
export function compileForm(
  { planner, schema, describedSchema }: FormContext,
  { document, names }: NormalisedOperation,
  operationName: string | null,
): Executable {
  if (!document) return EMPTY;
  const split = splitQuery(document, operationName);
  if (!split) return withNames(planner.compile(document, operationName, schema), names);
  const { introspection, service, entities, rest } = split;
  const sdl = () => ({ [SERVICE_FIELD]: { sdl: planner.sdl() } });
  const fetches = [
    introspection && executed(describedSchema, introspection, operationName),
    service && executed(schema, service, operationName, sdl),
    entities && planner.compileEntities(entities, operationName).run,
    rest && planner.compile(rest, operationName, schema).run,
  ].filter((fetch) => fetch !== null);
  return withNames(executableOf(together(fetches, split.names)), names);
}

/** `@skip` and `@include` exclude every field. */
const EMPTY: Executable = {
  ...executableOf(async () => ({ data: {} })),
  subscribe: async () => ({ data: {} }),
};

/** Answers a query from what is known without a subgraph. */
function executed(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null,
  rootValue: () => object = () => ({}),
): Fetch {
  return async (variableValues) => execute({ schema, document, operationName, variableValues, rootValue: rootValue() });
}

/** Answers the root fields of one query by several functions. */
function together(fetches: readonly Fetch[], names: readonly string[]): Fetch {
  return async (variables, request) => {
    const answers = await Promise.all(fetches.map((fetch) => fetch(variables, request)));
    const results = answers.map(resultOf);
    const refused = results.find((result) => !("data" in result));
    if (refused) return refused;
    const errors = results.flatMap((result) => result.errors ?? []);
    const failed = errors.length > 0 ? { errors } : {};
    if (results.some(({ data }) => !data)) return { ...failed, data: null };
    const values = Object.assign({}, ...results.map(({ data }) => data));
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
