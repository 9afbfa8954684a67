import { GraphQLScalarType, Kind } from "graphql";
import { Failure, quoted } from "../../core/errors/errors.ts";
import { parseNodeId } from "../../core/formats/id-text.ts";
import { outputScalar, SPECIFIED_BY } from "../shared/schema/output-scalar.ts";

/** A 32-byte id as CB58 text. Output only. */
export const Id = outputScalar("Id", "A 32-byte id in CB58.", SPECIFIED_BY.Id, String);

/** Any JSON value. Output only. */
export const Json = outputScalar("Json", "Any JSON value.", SPECIFIED_BY.Json, (value) => value);

function parseId(value: unknown): string {
  if (typeof value === "string" && parseNodeId(value) !== null) return value;
  throw new Failure("INVALID_PARAMETER", `must be NodeID- followed by 20 bytes in CB58, got ${quoted(value)}`);
}

/** A node id as text. */
export const NodeId = new GraphQLScalarType<string, string>({
  name: "NodeId",
  description: "A node id: `NodeID-` followed by 20 bytes in CB58.",
  specifiedByURL: SPECIFIED_BY.NodeId,
  serialize: String,
  parseValue: parseId,
  parseLiteral: (node) => parseId(node.kind === Kind.STRING ? node.value : undefined),
});
