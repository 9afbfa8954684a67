import { type ArgumentNode, type FieldNode, type GraphQLField, getArgumentValues, Kind, visit } from "graphql";
import type { Variables } from "../../../core/graph/graph-document.ts";

/** The arguments of a field with these variables, which are coerced. Throws the error of graphql-js if an argument has no valid value. */
export type ReadArguments = (variables: Variables) => Readonly<Record<string, unknown>>;

/** Compiles the arguments of a field: those without variables are made once. Throws the error of graphql-js if one of these is not valid. */
export function compileArguments(definition: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  if (node.arguments?.some(hasVariable)) return (variables) => getArgumentValues(definition, node, variables);
  const constants = getArgumentValues(definition, node);
  return () => constants;
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
