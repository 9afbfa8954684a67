import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLField,
  getArgumentValues,
  isNonNullType,
  Kind,
  visit,
} from "graphql";
import type { Variables } from "../../../core/graph/graph-document.ts";

/** The arguments of a field with these variables, which are coerced. Throws the error of graphql-js if an argument has no valid value. */
export type ReadArguments = (variables: Variables) => Readonly<Record<string, unknown>>;

type Definition = GraphQLField<unknown, unknown>;

/**
 * Compiles the arguments of a field. Those without variables are made once, and those that are a variable are copied. graphql-js makes all
 * others, and the errors. Throws its error if a value without variables is not valid.
 */
export function compileArguments(definition: Definition, node: FieldNode): ReadArguments {
  const isVariable = ({ value }: ArgumentNode) => value.kind === Kind.VARIABLE;
  const all = node.arguments ?? [];
  const constant = all.filter((argument) => !isVariable(argument));
  const generally: ReadArguments = (variables) => getArgumentValues(definition, node, variables);
  if (constant.some(hasVariable)) return generally;
  const copied = all.filter(isVariable).map((argument) => copyOf(definition, argument));
  const names = new Set(copied.map(({ name }) => name));
  const args = definition.args.filter(({ name }) => !names.has(name));
  const constants = getArgumentValues({ ...definition, args }, { ...node, arguments: constant });
  return (variables) => {
    const read = { ...constants };
    for (const { name, variable, isNonNull, defaultValue } of copied) {
      const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
      if (value === undefined ? isNonNull && defaultValue === undefined : isNonNull && value === null)
        return generally(variables);
      if (value !== undefined) read[name] = value;
      else if (defaultValue !== undefined) read[name] = defaultValue;
    }
    return read;
  };
}

function copyOf({ args }: Definition, { name: { value: name }, value }: ArgumentNode) {
  const argument = args.find((one) => one.name === name);
  const variable = value.kind === Kind.VARIABLE ? value.name.value : "";
  return { name, variable, isNonNull: isNonNullType(argument?.type), defaultValue: argument?.defaultValue };
}

function hasVariable(argument: ArgumentNode): boolean {
  let found = false;
  visit(argument, {
    [Kind.VARIABLE]() {
      found = true;
    },
  });
  return found;
}
