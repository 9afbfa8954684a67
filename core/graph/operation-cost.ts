import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from "graphql";
import { AGGREGATION_VALUES, COUNT_VALUES, type Cost, NODE_CALL_VALUES } from "./cost.ts";
import { type Fragments, fragmentsOf, type Variables } from "./graph-document.ts";

/** The cost of an answer. */
export interface OperationCost extends Cost {
  /** The part of `values` that stands for calls to nodes and validators. */
  readonly remoteValues: number;
}

/**
 * Estimates the cost of the answer with these variables. Lists with pages count as full; lists without pages count as 5
 * items, in introspection 30.
 */
export type CostOf = (variables: Variables) => OperationCost;

const FIRST = "first";
const LAST = "last";
/** The argument of `_entities`. */
const REPRESENTATIONS = "representations";
/** Expected items of a list without pages. Subgraphs count its actual items. */
const UNPAGED_ITEMS = 5;
/** Expected items of a list of the introspection schema, whose actual items nothing counts. */
const INTROSPECTION_ITEMS = 30;

/** Fields, by type and name, whose values need a call to a chain's node. */
const NODE_CALLS: ReadonlySet<string> = new Set([
  "Contract.implementation",
  "Erc20Holder.isApproximate",
  "Erc20Token.isSupplyApproximate",
  "Erc20TokenBalance.isApproximate",
  "EvmAddress.isContract",
  "EvmAddress.nativeBalance",
]);

/** Type of the number of a list's items. To count them, a subgraph reads up to 1,000 entries of an index. */
const COUNT_TYPE = "TotalCount";

/** Fields, by type and name, for which all validators of a subnet are asked. */
const AGGREGATIONS: ReadonlySet<string> = new Set([
  "Query.aggregateSignatures",
  "Query.aggregateTransactionSignatures",
  "SignableMessage.aggregateSignatures",
  "Subscription.signatureProgress",
]);

/** Items of a list: a number, or the value of a variable, of which a list has its length; `absent` if the variable is not given, `initial` if it is not a number. */
type Size = number | VariableSize;

interface VariableSize {
  readonly variable: string;
  readonly absent: Size;
  readonly initial: Size;
}

/** The cost of a selection: a fixed part, and the lists whose cost depends on a variable. */
interface Estimate extends OperationCost {
  readonly lists: readonly { readonly size: Size; readonly item: Estimate }[];
}

const NO_COST: Estimate = { rows: 0, values: 0, remoteValues: 0, lists: [] };

/**
 * Estimates the cost of an operation of a valid document from the schema: a list with pages has `last` or `first` items, or the
 * default of `first`, for each item of the lists around it. Ignores `@skip` and `@include`.
 */
export function compileCost(schema: GraphQLSchema, document: DocumentNode, operationName: string | null): CostOf {
  const operation = operationOf(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return () => NO_COST;
  const estimate = createEstimator(schema, fragmentsOf(document), defaultsOf(operation))(
    operation.selectionSet,
    root,
    null,
  );
  return (variables) => costOf(estimate, variables);
}

function operationOf({ definitions }: DocumentNode, name: string | null): OperationDefinitionNode | undefined {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  return name ? operations.find((node) => node.name?.value === name) : operations[0];
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): ReadonlyMap<string, number> {
  return new Map(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)] as const] : [],
    ),
  );
}

function costOf({ rows, values, remoteValues, lists }: Estimate, variables: Variables): OperationCost {
  const cost = { rows, values, remoteValues };
  for (const { size, item } of lists) {
    const inner = costOf(item, variables);
    const count = sizeFor(size, variables);
    cost.rows += count * (1 + inner.rows);
    cost.values += count * inner.values;
    cost.remoteValues += count * inner.remoteValues;
  }
  return cost;
}

/** A value that is not a number is refused later, by the resolver of the page. */
function sizeFor(size: Size, variables: Variables): number {
  if (typeof size === "number") return size;
  const given = variables[size.variable];
  const otherwise = given === undefined ? size.absent : size.initial;
  if (Array.isArray(given)) return given.length;
  return typeof given === "number" ? Math.max(1, given) : sizeFor(otherwise, variables);
}

type EstimateSet = (set: SelectionSetNode, type: GraphQLNamedType, pageSize: Size | null) => Estimate;

/** `pageSize` is that of the page whose fields are estimated: lists without their own `first` use it. */
function createEstimator(
  schema: GraphQLSchema,
  fragments: Fragments,
  defaults: ReadonlyMap<string, number>,
): EstimateSet {
  const known = new Map<string, Estimate>();
  const estimateSet: EstimateSet = ({ selections }, type, pageSize) =>
    sumOf(selections.map((node) => estimateSelection(node, type, pageSize)));

  function estimateSelection(node: SelectionNode, type: GraphQLNamedType, pageSize: Size | null): Estimate {
    if (node.kind === Kind.FIELD) {
      const estimate = estimateField(node, fieldOf(schema, type, node.name.value), pageSize);
      const place = `${type.name}.${node.name.value}`;
      if (NODE_CALLS.has(place)) return sumOf([NODE_CALL, { ...estimate, values: estimate.values - 1 }]);
      return AGGREGATIONS.has(place) ? sumOf([AGGREGATION, estimate]) : estimate;
    }
    if (node.kind === Kind.FRAGMENT_SPREAD) return estimateFragment(node.name.value, pageSize);
    const condition = node.typeCondition && schema.getType(node.typeCondition.name.value);
    return estimateSet(node.selectionSet, condition ?? type, pageSize);
  }

  function estimateFragment(name: string, pageSize: Size | null): Estimate {
    const key = `${name} ${JSON.stringify(pageSize)}`;
    const fragment = fragments.get(name);
    const type = fragment && schema.getType(fragment.typeCondition.name.value);
    const estimate = known.get(key) ?? (type ? estimateSet(fragment.selectionSet, type, pageSize) : NO_COST);
    known.set(key, estimate);
    return estimate;
  }

  function estimateField(
    node: FieldNode,
    field: GraphQLField<unknown, unknown> | undefined,
    around: Size | null,
  ): Estimate {
    const type = field && getNamedType(field.type);
    if (!field || !isCompositeType(type) || !node.selectionSet) return ONE_VALUE;
    if (type.name === COUNT_TYPE) return COUNT;
    const own = sizeOf(node, field, defaults);
    const depth = listDepth(field.type);
    let estimate = estimateSet(node.selectionSet, type, depth === 0 ? own : null);
    const unpaged = isIntrospectionType(type) ? INTROSPECTION_ITEMS : UNPAGED_ITEMS;
    for (let list = 0; list < depth; list++) estimate = times(own ?? around ?? unpaged, estimate);
    return sumOf([ONE_VALUE, estimate]);
  }

  return estimateSet;
}

const ONE_VALUE: Estimate = { rows: 0, values: 1, remoteValues: 0, lists: [] };
const NODE_CALL: Estimate = { rows: 0, values: NODE_CALL_VALUES, remoteValues: NODE_CALL_VALUES, lists: [] };
const COUNT: Estimate = { rows: 0, values: COUNT_VALUES, remoteValues: 0, lists: [] };
const AGGREGATION: Estimate = {
  rows: 0,
  values: AGGREGATION_VALUES,
  remoteValues: AGGREGATION_VALUES,
  lists: [],
};

function sumOf(estimates: readonly Estimate[]): Estimate {
  return {
    rows: estimates.reduce((sum, { rows }) => sum + rows, 0),
    values: estimates.reduce((sum, { values }) => sum + values, 0),
    remoteValues: estimates.reduce((sum, { remoteValues }) => sum + remoteValues, 0),
    lists: estimates.flatMap(({ lists }) => lists),
  };
}

/** A fixed cost if no variable decides it. */
function times(size: Size, item: Estimate): Estimate {
  if (typeof size !== "number" || item.lists.length > 0)
    return { rows: 0, values: 0, remoteValues: 0, lists: [{ size, item }] };
  return {
    rows: size * (1 + item.rows),
    values: size * item.values,
    remoteValues: size * item.remoteValues,
    lists: [],
  };
}

/**
 * The page size of a field: `last` if it is given, otherwise `first`. For entities, the number of representations. Null for a field without
 * pages.
 */
function sizeOf(
  { arguments: given = [] }: FieldNode,
  { args }: GraphQLField<unknown, unknown>,
  defaults: ReadonlyMap<string, number>,
): Size | null {
  if (args.some(({ name }) => name === REPRESENTATIONS)) {
    const list = given.find(({ name }) => name.value === REPRESENTATIONS)?.value;
    if (list?.kind === Kind.LIST) return list.values.length;
    return list?.kind === Kind.VARIABLE ? { variable: list.name.value, absent: 1, initial: 1 } : 1;
  }
  const argument = args.find(({ name }) => name === FIRST);
  if (!argument) return null;
  const sizeFrom = (name: string, otherwise: Size): Size => {
    const value = given.find((one) => one.name.value === name)?.value;
    if (value?.kind === Kind.INT) return Math.max(1, Number(value.value));
    if (value?.kind !== Kind.VARIABLE) return otherwise;
    const variable = value.name.value;
    const initial = defaults.get(variable);
    return { variable, absent: initial === undefined ? otherwise : Math.max(1, initial), initial: otherwise };
  };
  return sizeFrom(LAST, sizeFrom(FIRST, Number(argument.defaultValue ?? UNPAGED_ITEMS)));
}

function listDepth(type: GraphQLOutputType): number {
  if (isNonNullType(type)) return listDepth(type.ofType);
  return isListType(type) ? 1 + listDepth(type.ofType) : 0;
}

const META_FIELDS = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef].map((field) => [field.name, field]),
);

function fieldOf(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  const meta = META_FIELDS.get(name);
  if (meta && (name === TypeNameMetaFieldDef.name || type === schema.getQueryType())) return meta;
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}
