import {
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLString,
  isCompositeType,
  isUnionType,
  Kind,
  type SelectionNode,
} from "graphql";
import type { RestOperation } from "../../graph/operation.ts";

/** A member of an answer's object. */
export interface SelectedField {
  /** Its name in the answer. */
  readonly key: string;
  /** Its name and its type's name in the graph. */
  readonly field: string;
  readonly parent: string;
  readonly type: GraphQLOutputType;
  /** May be absent although its type is not nullable: a fragment of another type or a directive decides. */
  readonly isConditional: boolean;
  readonly selections: readonly SelectionNode[];
}

export type Selections = Pick<RestOperation, "fragments"> & { readonly schema: GraphQLSchema };

/** Members of the object that the selections make of `type`, fragments followed, in the order of the answer. */
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
    if (!fragment) throw new Error("an operation spreads a fragment that it lacks");
    const inner = fragment.typeCondition ? context.schema.getType(fragment.typeCondition.name.value) : type;
    if (!isCompositeType(inner)) throw new Error("an operation has a fragment on a type without fields");
    return flattened(context, inner, fragment.selectionSet.selections, conditional || inner !== type);
  });
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
    selections: node.selectionSet?.selections ?? [],
  };
}

/** The same key twice: the selections of both, of one type, since the writer does not know which of two it has at hand. */
function merged(one: SelectedField, two: SelectedField): SelectedField {
  if (String(one.type) !== String(two.type))
    throw new Error(`an operation selects two types as ${one.key}: ${one.type} and ${two.type}`);
  return {
    ...one,
    isConditional: one.isConditional && two.isConditional,
    selections: [...one.selections, ...two.selections],
  };
}
