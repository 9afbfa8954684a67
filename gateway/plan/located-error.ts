import { type DocumentNode, type FieldNode, GraphQLError, Kind } from "graphql";

/** The same error at another place of the answer. */
export function relocated(error: GraphQLError, path: readonly (string | number)[]): GraphQLError {
  const { message, nodes, source, positions, extensions } = error;
  return new GraphQLError(message, { nodes, source, positions, path, originalError: error, extensions });
}

/** Returns a function that locates an error of an operation: without a path, it belongs to the first field. */
export function locatedIn(operation: DocumentNode): (error: GraphQLError) => GraphQLError {
  const path = firstFieldOf(operation);
  return (error) => (error.path ? error : relocated(error, path));
}

function firstFieldOf({ definitions: [operation] }: DocumentNode): readonly string[] {
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return [];
  const field = operation.selectionSet.selections.find((node): node is FieldNode => node.kind === Kind.FIELD);
  return field ? [field.alias?.value ?? field.name.value] : [];
}
