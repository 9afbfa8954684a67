import { GraphQLScalarType } from "graphql";
import { Failure } from "../../core/errors.ts";

/** A scalar of answers. Never read from callers. */
export function outputScalar(
  name: string,
  description: string,
  serialize: (value: unknown) => unknown,
): GraphQLScalarType {
  const refuse = () => {
    throw new Failure("INVALID_PARAMETER", `values of the type ${name} are not accepted here`);
  };
  return new GraphQLScalarType({ name, description, serialize, parseValue: refuse, parseLiteral: refuse });
}
