import { GraphQLScalarType } from "graphql";
import { Failure } from "../../core/errors.ts";

/** A scalar for answers only. Used as an argument, every value is an `INVALID_PARAMETER`. */
export function outputScalar(
  name: string,
  description: string,
  serialize: (value: unknown) => unknown,
): GraphQLScalarType {
  const refuse = () => {
    throw new Failure("INVALID_PARAMETER", `type ${name} is not accepted as an argument`);
  };
  return new GraphQLScalarType({ name, description, serialize, parseValue: refuse, parseLiteral: refuse });
}
