import {
  defaultFieldResolver,
  type ExecutionResult,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNullableType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  locatedError,
  type OperationDefinitionNode,
  TypeNameMetaFieldDef,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from "graphql";
import { coercedVariables, type Variables } from "../../../core/graph/graph-document.ts";
import type { SelectedField } from "../../../core/graph/selection.ts";
import { compileArguments } from "./arguments.ts";
import { type ReadArguments, Unwritable } from "./text-run.ts";

/** What the resolvers of the root fields returned, in the order of the answer. */
export interface RootValues {
  readonly variables: Variables;
  readonly values: readonly unknown[];
}

/** Calls the resolvers of all root fields. Returns a result if there are errors; null if only the reference executor can make it. */
export type ReadRoots = (variables: Variables, context: unknown) => Promise<RootValues | ExecutionResult | null>;

/** A query whose root fields are read. */
export interface RootOperation {
  readonly schema: GraphQLSchema;
  readonly query: GraphQLObjectType;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly roots: readonly SelectedField[];
}

/** A root field, and what its resolver gets in each run. */
interface RootField {
  readonly key: string;
  readonly isNonNull: boolean;
  readonly argumentsOf: ReadArguments;
  readonly resolve: NonNullable<GraphQLField<unknown, unknown>["resolve"]>;
  readonly info: Info;
}

/** What graphql-js passes to resolvers beside the variables. Other libraries add members to its type. */
type Info = Pick<
  GraphQLResolveInfo,
  "fieldName" | "fieldNodes" | "returnType" | "parentType" | "path" | "schema" | "fragments" | "rootValue" | "operation"
>;

/** A field without a value. `error` is null if the reference executor must find out what its errors are. */
class Failed {
  readonly error: GraphQLError | null;

  constructor(error: GraphQLError | null) {
    this.error = error;
  }
}

/**
 * Compiles the root fields of a query. Variables and arguments have the errors of graphql-js. If the only root field fails, its error is the
 * result, so its resolver is not called again. If one of several fails, the reference executor calls all of them again.
 */
export function compileRoots(root: RootOperation): ReadRoots {
  const readVariables = compileVariables(root.schema, root.operation.variableDefinitions);
  const fields = root.roots.map((field) => rootField(root, field));
  return async (given, context) => {
    const { coerced: variables, errors } = readVariables(given);
    if (errors) return { errors };
    const values: unknown[] = fields.map((field) => readField(field, variables, context));
    for (let at = 0; at < values.length; at++) values[at] = await values[at];
    const failed = values.find((value) => value instanceof Failed);
    return failed ? resultOf(fields, failed) : { variables, values };
  };
}

function rootField({ schema, query, operation, fragments }: RootOperation, selected: SelectedField): RootField {
  const { key, field, nodes } = selected;
  const definition = field === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : query.getFields()[field];
  const [node] = nodes;
  if (!definition || !node) throw new Unwritable(`${query.name} has no field ${field}`);
  return {
    key,
    isNonNull: isNonNullType(definition.type),
    argumentsOf: compileArguments(definition, node),
    resolve: definition.resolve ?? defaultFieldResolver,
    info: {
      fieldName: field,
      fieldNodes: nodes,
      returnType: definition.type,
      parentType: query,
      path: { prev: undefined, key, typename: query.name },
      schema,
      fragments: Object.fromEntries(fragments),
      rootValue: undefined,
      operation,
    },
  };
}

/** Calls the resolver. The promise does not fail: its value may be `Failed`. */
async function readField(
  field: RootField,
  variables: GraphQLResolveInfo["variableValues"],
  context: unknown,
): Promise<unknown> {
  try {
    const { argumentsOf, resolve, info } = field;
    const value = await resolve(undefined, argumentsOf(variables), context, withVariables(info, variables));
    if (value instanceof Error) throw value;
    if (field.isNonNull && (value ?? null) === null)
      throw new Error(`Cannot return null for non-nullable field ${info.parentType.name}.${info.fieldName}.`);
    return Array.isArray(value) && value.some(isPromise) ? settledItems(value) : value;
  } catch (thrown) {
    return new Failed(locatedError(thrown, field.info.fieldNodes, [field.key]));
  }
}

/** Each member is named, because to spread an object takes several times as long. */
function withVariables(info: Info, variableValues: GraphQLResolveInfo["variableValues"]): GraphQLResolveInfo {
  const all: Info & Pick<GraphQLResolveInfo, "variableValues"> = {
    fieldName: info.fieldName,
    fieldNodes: info.fieldNodes,
    returnType: info.returnType,
    parentType: info.parentType,
    path: info.path,
    schema: info.schema,
    fragments: info.fragments,
    rootValue: info.rootValue,
    operation: info.operation,
    variableValues,
  };
  return all as GraphQLResolveInfo;
}

function isPromise(value: unknown): boolean {
  return value instanceof Promise;
}

/** `_entities` returns a promise for each entity. */
async function settledItems(items: readonly unknown[]): Promise<unknown> {
  try {
    return await Promise.all(items);
  } catch {
    return new Failed(null);
  }
}

function resultOf([field, ...others]: readonly RootField[], { error }: Failed): ExecutionResult | null {
  if (!error || !field || others.length > 0) return null;
  return { errors: [error], data: field.isNonNull ? null : { [field.key]: null } };
}

/** Returns the variables of one run after their coercion, or the errors of graphql-js. */
type ReadVariables = (given: Variables) => ReturnType<typeof coercedVariables>;

/** Adds the coerced value of a variable. Returns false if graphql-js must coerce all variables. */
type ReadVariable = (given: Variables, coerced: Record<string, unknown>) => boolean;

/** Returns the coerced value; undefined if it does not fit the type. Scalars and enums may throw instead. */
type Parse = (value: unknown) => unknown;

/**
 * Compiles the coercion of an operation's variables. Values of scalars, enums and lists of them are parsed directly. graphql-js coerces
 * input objects, and also all variables as soon as one of them does not fit, so that the errors are its own.
 */
function compileVariables(schema: GraphQLSchema, definitions: readonly VariableDefinitionNode[] = []): ReadVariables {
  const readGenerally: ReadVariables = (given) => coercedVariables(schema, definitions, given);
  const readers = definitions.map((definition) => readerOf(schema, definition));
  if (!readers.every((reader) => reader !== null)) return readGenerally;
  return (given) => {
    const coerced: Record<string, unknown> = {};
    return areRead(readers, given, coerced) ? { coerced } : readGenerally(given);
  };
}

function areRead(readers: readonly ReadVariable[], given: Variables, coerced: Record<string, unknown>): boolean {
  try {
    for (const read of readers) if (!read(given, coerced)) return false;
    return true;
  } catch {
    return false;
  }
}

/** Null if only graphql-js coerces variables of this type. */
function readerOf(
  schema: GraphQLSchema,
  { variable, type: node, defaultValue }: VariableDefinitionNode,
): ReadVariable | null {
  const name = variable.name.value;
  const type = typeFromAST(schema, node as Parameters<typeof typeFromAST>[1]);
  const parse = isInputType(type) ? parserOf(type) : null;
  if (!parse || !isInputType(type)) return null;
  const whenAbsent = defaultValue && valueFromAST(defaultValue, type);
  const isNullable = !isNonNullType(type);
  return (given, coerced) => {
    const isGiven = Object.hasOwn(given, name);
    const value = isGiven ? parse(given[name]) : whenAbsent;
    if (value === undefined) return isNullable && !isGiven;
    coerced[name] = value;
    return true;
  };
}

function parserOf(type: GraphQLInputType): Parse | null {
  const parse = nullableParserOf(getNullableType(type));
  if (!parse) return null;
  const whenNull = isNonNullType(type) ? undefined : null;
  return (value) => (value === null || value === undefined ? whenNull : parse(value));
}

function nullableParserOf(type: GraphQLInputType): Parse | null {
  if (isLeafType(type)) return (value) => type.parseValue(value);
  const parse = isListType(type) ? parserOf(type.ofType) : null;
  return parse && ((value) => (Array.isArray(value) ? parsedItems(value, parse) : undefined));
}

function parsedItems(items: readonly unknown[], parse: Parse): unknown[] | undefined {
  const parsed: unknown[] = [];
  for (const item of items) {
    const value = parse(item);
    if (value === undefined) return undefined;
    parsed.push(value);
  }
  return parsed;
}
