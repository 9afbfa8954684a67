import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
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
import type { Cost } from "../../../core/cost.ts";

type Variables = Readonly<Record<string, unknown>>;

/** The most that an operation's answer has with these variables. */
export type CostOf = (variables: Variables) => Cost;

const PAGE_SIZE = "pageSize";
/** Items that a list without pages is taken to have; what it has in truth counts when it is there. */
const WHOLE_LIST = 5;
/** The same of what the schema says of itself, which nothing counts later. */
const LIST_OF_SCHEMA = 30;

/** Items of a list: a number, or what a variable says; `absent` and `initial` where it says nothing, or nothing of use. */
type Size = number | { readonly variable: string; readonly absent: number; readonly initial: number };

/** The cost of some fields: what is known of it, and the lists whose size, or that of a list below them, a variable decides. */
interface Weight extends Cost {
  readonly lists: readonly { readonly size: Size; readonly item: Weight }[];
}

const NOTHING: Weight = { rows: 0, values: 0, lists: [] };

/**
 * Weighs an operation of a valid document by the schema alone: a list with pages has as many items as the page's size
 * says, or its default, below each of the items around it. `@skip` and `@include` are not looked at.
 */
export function compileCost(schema: GraphQLSchema, document: DocumentNode, operationName: string | null): CostOf {
  const operation = operationOf(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return () => NOTHING;
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const weight = createWeigh(schema, fragments, defaultsOf(operation))(operation.selectionSet, root, null);
  return (variables) => costOf(weight, variables);
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

function costOf({ rows, values, lists }: Weight, variables: Variables): Cost {
  const cost = { rows, values };
  for (const { size, item } of lists) {
    const inner = costOf(item, variables);
    const count = typeof size === "number" ? size : givenSize(size, variables);
    cost.rows += count * (1 + inner.rows);
    cost.values += count * inner.values;
  }
  return cost;
}

function givenSize({ variable, absent, initial }: Exclude<Size, number>, variables: Variables): number {
  const given = variables[variable];
  return given === undefined ? absent : countOf(given, initial);
}

/** What is no size at all is refused later, where the page is made. */
function countOf(given: unknown, initial: number): number {
  return typeof given === "number" ? Math.max(1, given) : initial;
}

type Weigh = (set: SelectionSetNode, type: GraphQLNamedType, pageSize: Size | null) => Weight;

/** `pageSize` is that of the page whose fields are weighed, for the lists among them. */
function createWeigh(
  schema: GraphQLSchema,
  fragments: readonly FragmentDefinitionNode[],
  defaults: ReadonlyMap<string, number>,
): Weigh {
  const known = new Map<string, Weight>();
  const weigh: Weigh = ({ selections }, type, pageSize) =>
    sumOf(selections.map((node) => weighSelection(node, type, pageSize)));

  function weighSelection(node: SelectionNode, type: GraphQLNamedType, pageSize: Size | null): Weight {
    if (node.kind === Kind.FIELD) return weighField(node, fieldOf(schema, type, node.name.value), pageSize);
    if (node.kind === Kind.FRAGMENT_SPREAD) return weighFragment(node.name.value, pageSize);
    const condition = node.typeCondition && schema.getType(node.typeCondition.name.value);
    return weigh(node.selectionSet, condition ?? type, pageSize);
  }

  function weighFragment(name: string, pageSize: Size | null): Weight {
    const key = `${name} ${JSON.stringify(pageSize)}`;
    const fragment = fragments.find((node) => node.name.value === name);
    const type = fragment && schema.getType(fragment.typeCondition.name.value);
    const weight = known.get(key) ?? (type ? weigh(fragment.selectionSet, type, pageSize) : NOTHING);
    known.set(key, weight);
    return weight;
  }

  function weighField(node: FieldNode, field: GraphQLField<unknown, unknown> | undefined, around: Size | null): Weight {
    const type = field && getNamedType(field.type);
    if (!field || !isCompositeType(type) || !node.selectionSet) return VALUE;
    const own = sizeOf(node, field, defaults);
    const depth = listDepth(field.type);
    const item = weigh(node.selectionSet, type, depth === 0 ? own : null);
    let weight = item;
    const whole = isIntrospectionType(type) ? LIST_OF_SCHEMA : WHOLE_LIST;
    for (let list = 0; list < depth; list++) weight = times(own ?? around ?? whole, weight);
    return sumOf([VALUE, weight]);
  }

  return weigh;
}

const VALUE: Weight = { rows: 0, values: 1, lists: [] };

function sumOf(weights: readonly Weight[]): Weight {
  return {
    rows: weights.reduce((sum, { rows }) => sum + rows, 0),
    values: weights.reduce((sum, { values }) => sum + values, 0),
    lists: weights.flatMap(({ lists }) => lists),
  };
}

/** Folded where no variable has a say. */
function times(size: Size, item: Weight): Weight {
  if (typeof size !== "number" || item.lists.length > 0) return { rows: 0, values: 0, lists: [{ size, item }] };
  return { rows: size * (1 + item.rows), values: size * item.values, lists: [] };
}

/** Null for a field that has no pages. */
function sizeOf(
  { arguments: given = [] }: FieldNode,
  { args }: GraphQLField<unknown, unknown>,
  defaults: ReadonlyMap<string, number>,
): Size | null {
  const argument = args.find(({ name }) => name === PAGE_SIZE);
  if (!argument) return null;
  const initial = Number(argument.defaultValue ?? WHOLE_LIST);
  const value = given.find(({ name }) => name.value === PAGE_SIZE)?.value;
  if (value?.kind === Kind.INT) return countOf(Number(value.value), initial);
  if (value?.kind !== Kind.VARIABLE) return initial;
  const variable = value.name.value;
  return { variable, absent: countOf(defaults.get(variable), initial), initial };
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
