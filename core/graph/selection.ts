import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLString,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  Kind,
  type SelectionNode,
} from "graphql";

/** A member of an object in an answer. */
export interface SelectedField {
  /** The member's name in the answer, if its form has no other. */
  readonly key: string;
  /** The field's name in the graph. */
  readonly field: string;
  readonly parent: string;
  readonly type: GraphQLOutputType;
  /** True if the member may be absent although its type is not nullable, because of a fragment on another type or a directive. */
  readonly isConditional: boolean;
  /** The nodes that select the field. */
  readonly nodes: readonly FieldNode[];
  readonly selections: readonly SelectionNode[];
}

export interface Selections {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** True if an object may have an interface as its own type, and then only the fields of the interface. Default: false. */
  readonly hasInterfaceObjects?: boolean;
}

/** The members that the response has for an object of `type` with these selections, in their order. Fragments are expanded. */
export function selectedFields(
  context: Selections,
  type: GraphQLCompositeType,
  selections: readonly SelectionNode[],
): SelectedField[] {
  const fields = new Map<string, SelectedField>();
  for (const found of flattened(context, type, selections, false)) {
    const before = fields.get(found.key);
    fields.set(found.key, before ? merged(before, found) : found);
  }
  return [...fields.values()];
}

function flattened(
  context: Selections,
  type: GraphQLCompositeType,
  selections: readonly SelectionNode[],
  isConditional: boolean,
): SelectedField[] {
  return selections.flatMap((node) => {
    const conditional = isConditional || (node.directives?.length ?? 0) > 0;
    if (node.kind === Kind.FIELD) return [fieldOf(type, node, conditional)];
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? context.fragments.get(node.name.value) : node;
    if (!fragment) throw new Error("an operation spreads a fragment that it does not define");
    const inner = fragment.typeCondition ? context.schema.getType(fragment.typeCondition.name.value) : type;
    if (!isCompositeType(inner)) throw new Error("an operation has a fragment on a type without fields");
    if (isObjectType(type) || (context.hasInterfaceObjects && isInterfaceType(type)))
      return isAlways(context.schema, inner, type)
        ? flattened(context, type, fragment.selectionSet.selections, conditional)
        : [];
    return flattened(context, inner, fragment.selectionSet.selections, conditional || inner !== type);
  });
}

/** True if a fragment on `condition` applies to every object of `type`. */
function isAlways(schema: GraphQLSchema, condition: GraphQLCompositeType, type: GraphQLCompositeType): boolean {
  return condition === type || (isAbstractType(condition) && !isUnionType(type) && schema.isSubType(condition, type));
}

function fieldOf(parent: GraphQLCompositeType, node: FieldNode, isConditional: boolean): SelectedField {
  const field = node.name.value;
  const type =
    field === "__typename" ? GraphQLString : isUnionType(parent) ? undefined : parent.getFields()[field]?.type;
  if (!type) throw new Error(`the graph has no field ${parent.name}.${field}`);
  return {
    key: node.alias?.value ?? field,
    field,
    parent: parent.name,
    type,
    isConditional,
    nodes: [node],
    selections: node.selectionSet?.selections ?? [],
  };
}

/** Merges two selections of the same key. Both must have the same type, because an answer does not show which of them it contains. */
function merged(one: SelectedField, two: SelectedField): SelectedField {
  if (String(one.type) !== String(two.type))
    throw new GraphQLError(`an operation selects two types as ${one.key}: ${one.type} and ${two.type}`);
  return {
    ...one,
    isConditional: one.isConditional && two.isConditional,
    nodes: [...one.nodes, ...two.nodes],
    selections: [...one.selections, ...two.selections],
  };
}
