import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  type NamedTypeNode,
  type TypeNode,
} from "graphql";

/** The tag of what exists only for REST. */
const REST_TAG = "rest";

/**
 * The schema that callers see, of the schema of all operations: without fields and arguments that have the tag `rest` in the supergraph, and without
 * the types that only such fields and arguments have.
 */
export function publicDocument(schema: DocumentNode, supergraph: DocumentNode): DocumentNode {
  const hidden = hiddenMembers(supergraph);
  if (hidden.size === 0) return schema;
  return withoutUnused({ ...schema, definitions: schema.definitions.map((node) => withoutHidden(node, hidden)) });
}

/** The fields (`Type.field`) and arguments (`Type.field.argument`) with the tag. */
function hiddenMembers({ definitions }: DocumentNode): ReadonlySet<string> {
  const hidden = new Set<string>();
  const add = (
    name: string,
    { directives = [] }: { readonly directives?: readonly ConstDirectiveNode[] | undefined },
  ) => {
    if (directives.some(hasRestTag)) hidden.add(name);
  };
  for (const node of definitions)
    for (const field of fieldsOf(node)) {
      const name = `${nameOf(node)}.${field.name.value}`;
      add(name, field);
      for (const argument of field.arguments ?? []) add(`${name}.${argument.name.value}`, argument);
    }
  return hidden;
}

function hasRestTag({ name, arguments: given = [] }: ConstDirectiveNode): boolean {
  return name.value === "tag" && given.some(({ value }) => value.kind === Kind.STRING && value.value === REST_TAG);
}

const nameOf = (node: DefinitionNode): string => ("name" in node && node.name ? node.name.value : "");

function fieldsOf(node: DefinitionNode): readonly FieldDefinitionNode[] {
  return node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_DEFINITION
    ? (node.fields ?? [])
    : [];
}

function withoutHidden(node: DefinitionNode, hidden: ReadonlySet<string>): DefinitionNode {
  if (node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.INTERFACE_TYPE_DEFINITION) return node;
  const isShown = (...names: readonly string[]) => !hidden.has([node.name.value, ...names].join("."));
  const fields = fieldsOf(node)
    .filter(({ name }) => isShown(name.value))
    .map((field) => ({
      ...field,
      arguments: (field.arguments ?? []).filter(({ name }) => isShown(field.name.value, name.value)),
    }));
  return { ...node, fields };
}

const ROOTS = ["Query", "Mutation", "Subscription"];

/** Without the types to which nothing leads from the root types. */
function withoutUnused(document: DocumentNode): DocumentNode {
  const named = new Map(document.definitions.map((node) => [nameOf(node), node]));
  const used = new Set(ROOTS);
  // A set is walked in the order of its items, also of those that are added meanwhile.
  for (const name of used) for (const next of namesIn(named.get(name), document)) if (named.has(next)) used.add(next);
  const isUsed = (node: DefinitionNode): boolean =>
    node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.DIRECTIVE_DEFINITION || used.has(nameOf(node));
  return { ...document, definitions: document.definitions.filter(isUsed) };
}

/** The names of the types that a type leads to. */
function namesIn(node: DefinitionNode | undefined, { definitions }: DocumentNode): string[] {
  switch (node?.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
      return [...namesInFields(node), ...namesOf(node.interfaces)];
    case Kind.INTERFACE_TYPE_DEFINITION: {
      const implementing = definitions.filter(
        (other) => "interfaces" in other && namesOf(other.interfaces).includes(node.name.value),
      );
      return [...namesInFields(node), ...namesOf(node.interfaces), ...implementing.map(nameOf)];
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return (node.fields ?? []).map(({ type }) => namedTypeOf(type));
    case Kind.UNION_TYPE_DEFINITION:
      return namesOf(node.types);
    default:
      return [];
  }
}

const namesOf = (types: readonly NamedTypeNode[] = []): string[] => types.map(({ name }) => name.value);

function namesInFields(node: DefinitionNode): string[] {
  return fieldsOf(node).flatMap(({ type, arguments: args = [] }) =>
    [type, ...args.map((one) => one.type)].map(namedTypeOf),
  );
}

function namedTypeOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedTypeOf(type.type);
}
