import {
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from "graphql";
import { type Cost, refusalOf } from "../../core/cost.ts";

/**
 * Counts what each operation answers, list by list, as often as each stands in the answer, and fails where that is too
 * much with `OPERATION_TOO_COMPLEX`. Each event of a subscription counts by itself. To be called once, before the schema
 * is used.
 */
export function countRows(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) if (isRowList(field)) field.resolve = counted(field.resolve);
  }
}

function isRowList({ type }: GraphQLField<unknown, unknown>): boolean {
  return isListType(getNullableType(type)) && !isLeafType(getNamedType(type));
}

type Resolve = NonNullable<GraphQLField<unknown, unknown>["resolve"]>;

function counted(resolve: Resolve = defaultFieldResolver): Resolve {
  return (source, args, context, info) => {
    const list: unknown = resolve(source, args, context, info);
    return list instanceof Promise ? list.then((items) => spent(items, info)) : spent(list, info);
  };
}

/** By the variables of an execution, which are made for it alone. */
const costs = new WeakMap<object, Cost>();

function spent(list: unknown, info: GraphQLResolveInfo): unknown {
  if (!Array.isArray(list) || list.length === 0) return list;
  const before = costs.get(info.variableValues) ?? { rows: 0, values: 0 };
  const fields = info.fieldNodes.reduce((sum, node) => sum + fieldsBelow(node, info.fragments), 0);
  const cost = { rows: before.rows + list.length, values: before.values + list.length * fields };
  const refusal = refusalOf(cost, (count) => `this one would have ${count} or more`);
  if (refusal) throw refusal;
  costs.set(info.variableValues, cost);
  return list;
}

const known = new WeakMap<SelectionSetNode, number>();

/** All that are selected below it, also in lists. */
function fieldsBelow(
  { selectionSet }: Pick<FieldNode, "selectionSet">,
  fragments: Readonly<Record<string, FragmentDefinitionNode>>,
): number {
  if (!selectionSet) return 0;
  const found = known.get(selectionSet);
  if (found !== undefined) return found;
  let count = 0;
  for (const node of selectionSet.selections) {
    if (node.kind === Kind.FIELD) count += 1 + fieldsBelow(node, fragments);
    else if (node.kind === Kind.INLINE_FRAGMENT) count += fieldsBelow(node, fragments);
    else count += fieldsBelow(fragments[node.name.value] ?? {}, fragments);
  }
  known.set(selectionSet, count);
  return count;
}
