import { type DefinitionNode, type DocumentNode, Kind, type NamedTypeNode, parse } from "graphql";

/**
 * The schema of the clients of a supergraph, without what is `@inaccessible`, from the text of the query planner. The planner lists the fields of
 * introspection in it, which must not be defined, and leaves hidden types in unions and among interfaces.
 */
export function consumerDocument(text: string): DocumentNode {
  const document = parse(text, { noLocation: true });
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
