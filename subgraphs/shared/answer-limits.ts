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
import { type Cost, checkCost } from "../../core/graph/cost.ts";

/**
 * Makes the schema count the rows and values of the answer to each GraphQL operation while it runs. Above a limit of
 * `MAX_COST`, the operation fails with `OPERATION_TOO_COMPLEX`. Each event of a subscription counts by itself. Call this
 * function once, before the schema is used.
 */
export function limitAnswers(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields()))
      if (isListOfObjects(field)) field.resolve = counting(field.resolve);
  }
}

function isListOfObjects({ type }: GraphQLField<unknown, unknown>): boolean {
  return isListType(getNullableType(type)) && !isLeafType(getNamedType(type));
}

type Resolve = NonNullable<GraphQLField<unknown, unknown>["resolve"]>;

/** The resolvers inside those that count. */
const inner = new WeakMap<Resolve, Resolve>();

function counting(resolve: Resolve = defaultFieldResolver): Resolve {
  const counter: Resolve = (source, args, context, info) => {
    const list: unknown = resolve(source, args, context, info);
    return list instanceof Promise ? list.then((items) => counted(items, info)) : counted(list, info);
  };
  inner.set(counter, resolve);
  return counter;
}

/** The resolver of a field without the counting of `limitAnswers`. */
export function uncounted(resolve: Resolve | undefined): Resolve | undefined {
  return resolve && (inner.get(resolve) ?? resolve);
}

/** The cost of each execution so far. The key is its `variableValues` object, which no other execution has. */
const costs = new WeakMap<object, Cost>();

/** Adds the cost of a list to the cost of its execution. Returns the list, or throws if a limit is exceeded. */
function counted(list: unknown, info: GraphQLResolveInfo): unknown {
  if (!Array.isArray(list) || list.length === 0) return list;
  const before = costs.get(info.variableValues) ?? { rows: 0, values: 0 };
  const fields = info.fieldNodes.reduce((sum, node) => sum + fieldsBelow(node, info.fragments), 0);
  const cost = { rows: before.rows + list.length, values: before.values + list.length * fields };
  const failure = checkCost(cost, (count) => `this one would have ${count} or more`);
  if (failure) throw failure;
  costs.set(info.variableValues, cost);
  return list;
}

const knownCounts = new WeakMap<SelectionSetNode, number>();

/** The number of fields that are selected below a field, at all levels together. */
export function fieldsBelow(
  { selectionSet }: Pick<FieldNode, "selectionSet">,
  fragments: Readonly<Record<string, FragmentDefinitionNode>>,
): number {
  if (!selectionSet) return 0;
  const known = knownCounts.get(selectionSet);
  if (known !== undefined) return known;
  let count = 0;
  for (const node of selectionSet.selections) {
    if (node.kind === Kind.FIELD) count += 1 + fieldsBelow(node, fragments);
    else if (node.kind === Kind.INLINE_FRAGMENT) count += fieldsBelow(node, fragments);
    else count += fieldsBelow(fragments[node.name.value] ?? {}, fragments);
  }
  knownCounts.set(selectionSet, count);
  return count;
}
