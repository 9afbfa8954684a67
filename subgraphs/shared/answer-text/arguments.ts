import {
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  getArgumentValues,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type ObjectFieldNode,
  type ValueNode,
  valueFromAST,
  visit,
} from "graphql";
import type { Variables } from "../../../core/graph/graph-document.ts";
import { type ReadArguments, Unwritable } from "./text-run.ts";

/** A value that does not fit its type. */
const INVALID = Symbol("invalid");

/** Returns the value of a node with these variables, which are coerced: undefined for a variable without a value, or `INVALID`. */
type ReadValue = (variables: Variables) => unknown;

/** Returns the values of arguments, or of the members of an input object, by their names; or `INVALID`. */
type ReadMembers = (variables: Variables) => Record<string, unknown> | typeof INVALID;

/** An argument of a field, or a member of an input object. */
interface Input {
  readonly name: string;
  readonly type: GraphQLInputType;
  /** Undefined if there is none. */
  readonly defaultValue?: unknown;
}

/**
 * Compiles the arguments of a field. What has no variables is made once, so resolvers must not change it. If a variable does not fit, graphql-js
 * makes the error. Throws `Unwritable` if a value without variables does not fit.
 */
export function compileArguments(definition: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  const read = membersOf(definition.args, node.arguments);
  return (variables) => {
    const values = read(variables);
    return values === INVALID ? getArgumentValues(definition, node, variables) : values;
  };
}

interface Member extends Input {
  readonly isNonNull: boolean;
  readonly read: ReadValue;
}

function membersOf(inputs: readonly Input[], nodes: readonly Pick<ObjectFieldNode, "name" | "value">[] = []) {
  const values = new Map(nodes.map(({ name, value }) => [name.value, value]));
  const members = inputs.map((input) => memberOf(input, values.get(input.name)));
  return (variables: Variables): ReturnType<ReadMembers> => {
    const made: Record<string, unknown> = {};
    for (const { name, isNonNull, read, defaultValue } of members) {
      const given = read(variables);
      const value = given === undefined ? defaultValue : given;
      if (value === INVALID || (value === undefined && isNonNull)) return INVALID;
      if (value !== undefined) made[name] = value;
    }
    return made;
  };
}

function memberOf({ name, type, defaultValue }: Input, node: ValueNode | undefined): Member {
  return { name, type, defaultValue, isNonNull: isNonNullType(type), read: node ? readerOf(node, type) : absent };
}

const absent: ReadValue = () => undefined;

function readerOf(node: ValueNode, type: GraphQLInputType): ReadValue {
  if (!hasVariable(node)) return constant(node, type);
  const nullable = getNullableType(type);
  if (node.kind === Kind.VARIABLE) return variable(node.name.value, isNonNullType(type));
  if (isListType(nullable)) return listOf(node.kind === Kind.LIST ? node.values : [node], nullable.ofType);
  if (!isInputObjectType(nullable) || node.kind !== Kind.OBJECT) return generally(node, type);
  const read = membersOf(Object.values(nullable.getFields()), node.fields);
  return nullable.isOneOf ? (variables) => onlyOne(read(variables)) : read;
}

function constant(node: ValueNode, type: GraphQLInputType): ReadValue {
  const value = valueFromAST(node, type);
  if (value === undefined) throw new Unwritable(`a value does not fit ${type}`);
  return () => value;
}

function variable(name: string, isNonNull: boolean): ReadValue {
  return (variables) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return value === null && isNonNull ? INVALID : value;
  };
}

/** An item that is a variable without a value is null. */
function listOf(nodes: readonly ValueNode[], type: GraphQLInputType): ReadValue {
  const items = nodes.map((node) => readerOf(node, type));
  const whenAbsent = isNonNullType(type) ? INVALID : null;
  return (variables) => {
    const values = items.map((read) => {
      const value = read(variables);
      return value === undefined ? whenAbsent : value;
    });
    return values.includes(INVALID) ? INVALID : values;
  };
}

/** A member of a `@oneOf` input. */
function onlyOne(values: ReturnType<ReadMembers>): ReturnType<ReadMembers> {
  if (values === INVALID) return INVALID;
  const [value, ...others] = Object.values(values);
  return others.length > 0 || (value ?? null) === null ? INVALID : values;
}

/** Only the scalar knows what a literal with variables inside means. */
function generally(node: ValueNode, type: GraphQLInputType): ReadValue {
  return (variables) => {
    const value = valueFromAST(node, type, variables);
    return value === undefined ? INVALID : value;
  };
}

function hasVariable(node: ValueNode): boolean {
  let found = false;
  visit(node, {
    [Kind.VARIABLE]() {
      found = true;
    },
  });
  return found;
}
