import { type GraphQLObjectType, type GraphQLSchema, type OperationTypeNode } from "graphql";
import { hasErrors, outcomeCells, timed } from "./outcomes.ts";
import { histogramOf, isRecording } from "./registry.ts";
import { currentTracing, inSpan } from "./tracing.ts";

/** True if work is measured or traced. */
export function isObserving(): boolean {
  return isRecording() || currentTracing() !== null;
}

/** Runs operations of one name, measured and traced. */
export type ObserveOperation = <Result>(run: () => Result) => Result;

/** The name under which all operations of callers count. */
export const OTHER_OPERATIONS = "other";

/** `operation` is a name from Moraine itself or from its settings. A name that a caller chooses would create a new series. */
export function observeOperation(operation: string, type: `${OperationTypeNode}`): ObserveOperation {
  const cells = outcomeCells((outcome) => histogramOf("operationDuration", { operation, type, outcome }));
  const attributes = { "graphql.operation.type": type };
  return (run) => {
    if (currentTracing() === null) return timed(cells, run, hasErrors);
    return timed(cells, () => inSpan("operation", operation, run, attributes), hasErrors);
  };
}

/**
 * Measures and traces the resolvers of all root fields of queries and mutations, `_entities` included. Call it once, after the
 * schema is complete.
 */
export function observeRootFields(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) if (type) observeFieldsOf(type);
}

function observeFieldsOf(type: GraphQLObjectType): void {
  for (const field of Object.values(type.getFields())) {
    const { resolve } = field;
    if (!resolve || field.name === "_service") continue;
    const name = `${type.name}.${field.name}`;
    const cells = outcomeCells((outcome) => histogramOf("resolverDuration", { field: name, outcome }));
    field.resolve = (root, args, context, info) => {
      if (!isObserving()) return resolve(root, args, context, info);
      return timed(cells, () => inSpan("resolver", name, () => resolve(root, args, context, info)));
    };
  }
}
