import { GraphQLScalarType } from "graphql";
import { Failure } from "../../../core/errors/errors.ts";

/** A scalar for answers only: as an argument, every value is an `INVALID_PARAMETER`. `specifiedBy` is the URL of its specification. */
export function outputScalar(
  name: string,
  description: string,
  specifiedBy: string,
  serialize: (value: unknown) => unknown,
): GraphQLScalarType {
  const refuse = () => {
    throw new Failure("INVALID_PARAMETER", `type ${name} is not accepted as an argument`);
  };
  return new GraphQLScalarType({
    name,
    description,
    specifiedByURL: specifiedBy,
    serialize,
    parseValue: refuse,
    parseLiteral: refuse,
  });
}

/** Specifications of the scalars that several subgraphs define; tags of avalanchego never move. */
export const SPECIFIED_BY = {
  Id: "https://github.com/ava-labs/avalanchego/blob/v1.13.0/ids/id.go",
  NodeId: "https://github.com/ava-labs/avalanchego/blob/v1.13.0/ids/node_id.go",
  Json: "https://www.rfc-editor.org/rfc/rfc8259",
} as const;
