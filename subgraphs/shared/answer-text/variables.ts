import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from "graphql";
import { coercedVariables, type Variables } from "../../../core/graph/graph-document.ts";

/** Returns the variables of one run after their coercion, or the errors of graphql-js. */
export type ReadVariables = (given: Variables) => ReturnType<typeof coercedVariables>;

/** Adds the coerced value of a variable. Returns false if graphql-js must coerce all variables. */
type ReadVariable = (given: Variables, coerced: Record<string, unknown>) => boolean;

/** Returns the coerced value; undefined if it does not fit the type. Scalars and enums may throw instead. */
type Parse = (value: unknown) => unknown;

/**
 * Compiles the coercion of an operation's variables. Values of scalars, enums and lists of them are parsed directly. graphql-js coerces
 * input objects, and also all variables as soon as one of them does not fit, so that the errors are its own.
 */
export function compileVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[] = [],
): ReadVariables {
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
