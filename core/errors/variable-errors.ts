import type { GraphQLError } from "graphql";
import { Kind } from "graphql/language/kinds.js";

/** The name of the variable to which the error of graphql-js belongs. An error of a value has the variable's definition as its first node. */
export function variableOf({ nodes }: GraphQLError): string | undefined {
  const [node] = nodes ?? [];
  return node?.kind === Kind.VARIABLE_DEFINITION ? node.variable.name.value : undefined;
}

/** The last error of graphql-js about variables that do not fit their types: it lists 50 of them at most. */
const TOO_MANY = "Too many errors processing variables, error limit reached. Execution aborted.";

/** True if graphql-js made the error of a variable that does not fit its type. */
export function isVariableError(error: GraphQLError): boolean {
  return variableOf(error) !== undefined || error.message === TOO_MANY;
}
