import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from "graphql";
import { parseFieldSet, printFieldSet } from "../schemas/field-set.ts";
import { isFederationDirective, membersOf, namedTypeOf, typesWithFields } from "./definitions.ts";

/**
 * A subgraph whose `@requires` have fragments on object types in place of those on interfaces, which mean the same. Composition refuses a
 * fragment on an interface below another interface, because its check that all fields can be reached knows no way between them.
 */
export function withoutInterfaceFragments(subgraph: DocumentNode): DocumentNode {
  const types = readTypes(subgraph);
  const replaced = (node: FieldDefinitionNode, owner: string): FieldDefinitionNode => ({
    ...node,
    directives: node.directives?.map((directive) => requiresReplaced(directive, owner, types)) ?? [],
  });
  const enter = (node: {
    readonly name: { readonly value: string };
    readonly fields?: readonly FieldDefinitionNode[];
  }) => ({
    ...node,
    fields: node.fields?.map((field) => replaced(field, node.name.value)) ?? [],
  });
  return visit(subgraph, { ObjectTypeDefinition: { enter }, ObjectTypeExtension: { enter } });
}

interface Types {
  /** The named type of a field, by `Type.field`. */
  readonly fieldTypes: ReadonlyMap<string, string>;
  /** The object types of an interface or a union. The type itself if there are none. */
  objectsOf(type: string): readonly string[];
}

function readTypes(document: DocumentNode): Types {
  const fieldTypes = new Map<string, string>();
  const interfaces = new Set<string>();
  for (const node of typesWithFields(document)) {
    for (const { name, type } of node.fields ?? [])
      fieldTypes.set(`${node.name.value}.${name.value}`, namedTypeOf(type));
    if (node.kind === Kind.INTERFACE_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_EXTENSION)
      interfaces.add(node.name.value);
  }
  const members = membersOf(document);
  return {
    fieldTypes,
    objectsOf(type) {
      const objects = [...(members.get(type) ?? [])].filter((name) => !interfaces.has(name));
      return objects.length > 0 ? objects : [type];
    },
  };
}

function requiresReplaced(directive: ConstDirectiveNode, owner: string, types: Types): ConstDirectiveNode {
  const fields = directive.arguments?.[0]?.value;
  if (!isFederationDirective(directive, "requires") || fields?.kind !== Kind.STRING || !fields.value.includes("..."))
    return directive;
  const text = printFieldSet(onObjects(parseFieldSet(fields.value), owner, types));
  const value = { ...fields, value: text, block: true };
  return { ...directive, arguments: directive.arguments?.map((argument) => ({ ...argument, value })) ?? [] };
}

function onObjects(set: SelectionSetNode, type: string, types: Types): SelectionSetNode {
  return { ...set, selections: set.selections.flatMap((selection) => selectionsOnObjects(selection, type, types)) };
}

function selectionsOnObjects(node: SelectionNode, type: string, types: Types): readonly SelectionNode[] {
  if (node.kind === Kind.FRAGMENT_SPREAD) return [node];
  if (node.kind === Kind.FIELD) {
    const fieldType = types.fieldTypes.get(`${type}.${node.name.value}`) ?? "";
    return [node.selectionSet ? { ...node, selectionSet: onObjects(node.selectionSet, fieldType, types) } : node];
  }
  const condition = node.typeCondition?.name.value ?? type;
  const objects = types.objectsOf(condition);
  // The condition is always true.
  if (condition === type || objects.includes(type)) return onObjects(node.selectionSet, type, types).selections;
  const possible = types.objectsOf(type);
  return objects
    .filter((object) => possible.includes(object))
    .map((object) => ({
      kind: Kind.INLINE_FRAGMENT,
      typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: object } },
      selectionSet: onObjects(node.selectionSet, object, types),
    }));
}
