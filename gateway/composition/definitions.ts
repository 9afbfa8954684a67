import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type InterfaceTypeDefinitionNode,
  type InterfaceTypeExtensionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  type TypeNode,
} from "graphql";

type TypeWithFields =
  | InterfaceTypeDefinitionNode
  | InterfaceTypeExtensionNode
  | ObjectTypeDefinitionNode
  | ObjectTypeExtensionNode;

/** The object types and interfaces that a document defines or extends. */
export function typesWithFields({ definitions }: DocumentNode): TypeWithFields[] {
  return definitions.filter(hasFields);
}

function hasFields(node: DefinitionNode): node is TypeWithFields {
  return (
    node.kind === Kind.OBJECT_TYPE_DEFINITION ||
    node.kind === Kind.OBJECT_TYPE_EXTENSION ||
    node.kind === Kind.INTERFACE_TYPE_DEFINITION ||
    node.kind === Kind.INTERFACE_TYPE_EXTENSION
  );
}

/** The types that the unions and interfaces of a document contain. */
export function membersOf(document: DocumentNode): ReadonlyMap<string, ReadonlySet<string>> {
  const members = new Map<string, Set<string>>();
  const add = (abstract: string, member: string) =>
    members.set(abstract, (members.get(abstract) ?? new Set()).add(member));
  for (const node of typesWithFields(document))
    for (const { name } of node.interfaces ?? []) add(name.value, node.name.value);
  for (const node of document.definitions)
    if (node.kind === Kind.UNION_TYPE_DEFINITION || node.kind === Kind.UNION_TYPE_EXTENSION)
      for (const { name } of node.types ?? []) add(node.name.value, name.value);
  return members;
}

/** True for a directive of the federation, which subgraphs may import by its short name. Directives with other names are not found. */
export function isFederationDirective({ name }: ConstDirectiveNode, directive: string): boolean {
  return name.value === directive || name.value === `federation__${directive}`;
}

export function namedTypeOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedTypeOf(type.type);
}
