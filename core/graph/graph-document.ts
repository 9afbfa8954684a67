import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type VariableDefinitionNode,
} from "graphql";

/** The variables of an operation by their names. */
export type Variables = Readonly<Record<string, unknown>>;

/** The fragments of a document by their names. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/** As many as the executor of graphql-js lists. */
const MAX_ERRORS = 50;

/** The variables of an operation after their coercion, or the errors that graphql-js makes. */
export function coercedVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[] | undefined,
  given: Variables,
): ReturnType<typeof getVariableValues> {
  return getVariableValues(schema, definitions ?? [], given, { maxErrors: MAX_ERRORS });
}
