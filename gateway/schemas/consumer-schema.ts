import {
  type DefinitionNode,
  type DocumentNode,
  introspectionTypes,
  Kind,
  type NamedTypeNode,
  parse,
  specifiedDirectives,
  specifiedScalarTypes,
} from "graphql";

/**
 * The schema of the clients of a supergraph, without what is `@inaccessible`, from the text of the query planner. The planner defines what every
 * schema has in it, and leaves hidden types in unions and among interfaces.
 */
export function consumerDocument(text: string): DocumentNode {
  const parsed = parse(text, { noLocation: true });
  const document = { ...parsed, definitions: parsed.definitions.filter((node) => !isBuiltIn(node)) };
  const defined = new Set(document.definitions.map((node) => ("name" in node ? node.name?.value : undefined)));
  const visible = ({ name }: NamedTypeNode): boolean => defined.has(name.value);
  const definitions = document.definitions.map((node): DefinitionNode => {
    if (node.kind === Kind.UNION_TYPE_DEFINITION) return { ...node, types: node.types?.filter(visible) ?? [] };
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.INTERFACE_TYPE_DEFINITION) return node;
    const fields = node.fields?.filter(({ name }) => !name.value.startsWith("__")) ?? [];
    return { ...node, fields, interfaces: node.interfaces?.filter(visible) ?? [] };
  });
  return { ...document, definitions };
}

const BUILT_IN_TYPES: ReadonlySet<string> = new Set(
  [...specifiedScalarTypes, ...introspectionTypes].map(({ name }) => name),
);
const BUILT_IN_DIRECTIVES: ReadonlySet<string> = new Set(specifiedDirectives.map(({ name }) => name));

function isBuiltIn(node: DefinitionNode): boolean {
  if (!("name" in node) || !node.name) return false;
  return (node.kind === Kind.DIRECTIVE_DEFINITION ? BUILT_IN_DIRECTIVES : BUILT_IN_TYPES).has(node.name.value);
}
