import { GraphQLScalarType } from "graphql";
import { Failure } from "../../../core/errors/errors.ts";

interface ScalarText {
  readonly description: string;
  /** URL of its specification. Tags of avalanchego never move. */
  readonly specifiedByURL: string;
}

/** The scalars that several subgraphs define, each for the form in which it has the values. */
export const SCALARS = {
  Id: {
    description: "A 32-byte id in CB58.",
    specifiedByURL: "https://github.com/ava-labs/avalanchego/blob/v1.13.0/ids/id.go",
  },
  NodeId: {
    description: "A node id: `NodeID-` followed by 20 bytes in CB58.",
    specifiedByURL: "https://github.com/ava-labs/avalanchego/blob/v1.13.0/ids/node_id.go",
  },
  Json: { description: "Any JSON value.", specifiedByURL: "https://www.rfc-editor.org/rfc/rfc8259" },
} as const satisfies Readonly<Record<string, ScalarText>>;

/** A scalar for answers only: as an argument, every value is an `INVALID_PARAMETER`. */
export function outputScalar(name: keyof typeof SCALARS, serialize: (value: unknown) => unknown): GraphQLScalarType {
  const refuse = () => {
    throw new Failure("INVALID_PARAMETER", `type ${name} is not accepted as an argument`);
  };
  return new GraphQLScalarType({ name, ...SCALARS[name], serialize, parseValue: refuse, parseLiteral: refuse });
}

/** Any JSON value, unchanged. Output only. */
export const Json = outputScalar("Json", (value) => value);
