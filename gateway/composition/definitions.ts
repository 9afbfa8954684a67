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

/** True for a directive of the federation, which subgraphs may import by its short name. Directives with other names are not found. */
export function isFederationDirective({ name }: ConstDirectiveNode, directive: string): boolean {
  return name.value === directive || name.value === `federation__${directive}`;
}

export function namedTypeOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedTypeOf(type.type);
}
