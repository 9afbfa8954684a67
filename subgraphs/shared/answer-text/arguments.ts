import {
  type FieldNode,
  type GraphQLField,
  getArgumentValues,
  isNonNullType,
  Kind,
  type ValueNode,
  visit,
} from "graphql";
import type { Variables } from "../../../core/graph-document.ts";

type Field = GraphQLField<unknown, unknown>;

/** The arguments of a field with these variables, which are coerced. Throws the error of graphql-js if an argument has no valid value. */
export type ReadArguments = (variables: Variables) => Readonly<Record<string, unknown>>;

/** An argument whose value is that of a variable. */
interface FromVariable {
  readonly name: string;
  readonly variable: string;
  readonly defaultValue: unknown;
  readonly isNonNull: boolean;
}

/** Compiles the arguments of a field: constant values are made once. Throws the error of graphql-js if one of them is not valid. */
export function compileArguments(definition: Field, node: FieldNode): ReadArguments {
  const given = new Map(node.arguments?.map(({ name, value }) => [name.value, value]));
  const readGenerally: ReadArguments = (variables) => getArgumentValues(definition, node, variables);
  if ([...given.values()].some(hasInnerVariable)) return readGenerally;
  const [fromVariables, others] = divided(definition, given);
  const constants = getArgumentValues({ ...definition, args: others }, node, {});
  if (fromVariables.length === 0) return () => constants;
  return (variables) => {
    const values: Record<string, unknown> = { ...constants };
    for (const { name, variable, defaultValue, isNonNull } of fromVariables) {
      const value = Object.hasOwn(variables, variable) ? variables[variable] : defaultValue;
      if (isNonNull && (value ?? null) === null) return readGenerally(variables);
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
}

/** True if the value has variables inside a list or an input object. */
function hasInnerVariable(value: ValueNode): boolean {
  let found = false;
  if (value.kind !== Kind.VARIABLE)
    visit(value, {
      [Kind.VARIABLE]() {
        found = true;
      },
    });
  return found;
}

function divided({ args }: Field, given: ReadonlyMap<string, ValueNode>): [FromVariable[], Field["args"][number][]] {
  const fromVariables: FromVariable[] = [];
  const others: Field["args"][number][] = [];
  for (const argument of args) {
    const { name, type, defaultValue } = argument;
    const value = given.get(name);
    if (value?.kind !== Kind.VARIABLE) others.push(argument);
    else fromVariables.push({ name, variable: value.name.value, defaultValue, isNonNull: isNonNullType(type) });
  }
  return [fromVariables, others];
}
