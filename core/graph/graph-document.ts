import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
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

/** The root fields of an operation, those in fragments included, in the order of the answer. The operation's conditions are not evaluated. */
export function rootFieldsOf(document: DocumentNode, operation: OperationDefinitionNode): FieldNode[] {
  const fragments = fragmentsOf(document);
  const visited = new Set<string>();
  const fieldsIn = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((node) => {
      if (node.kind === Kind.FIELD) return [node];
      if (node.kind === Kind.INLINE_FRAGMENT) return fieldsIn(node.selectionSet);
      const fragment = visited.has(node.name.value) ? undefined : fragments.get(node.name.value);
      visited.add(node.name.value);
      return fragment ? fieldsIn(fragment.selectionSet) : [];
    });
  return fieldsIn(operation.selectionSet);
}

/** A name that begins with `base` and that a document, given as text, does not contain. */
export function unusedName(text: string, base: string): string {
  let name = base;
  for (let n = 1; text.includes(name); n++) name = `${base}${n}_`;
  return name;
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
