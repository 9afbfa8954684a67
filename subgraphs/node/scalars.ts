import { GraphQLScalarType, Kind } from "graphql";
import { Failure, quoted } from "../../core/errors.ts";
import { parseNodeId } from "../../core/id-text.ts";
import { outputScalar, SPECIFIED_BY } from "../shared/output-scalar.ts";

/** A 32-byte id, as text everywhere here. Never read from callers. */
export const Id = outputScalar("Id", "32 bytes in CB58.", SPECIFIED_BY.Id, String);

/** Any JSON as it is. Never read from callers. */
export const Json = outputScalar("Json", "A JSON value.", SPECIFIED_BY.Json, (value) => value);

function parseId(value: unknown): string {
  if (typeof value === "string" && parseNodeId(value) !== null) return value;
  throw new Failure("INVALID_PARAMETER", `must be NodeID- and an id, got ${quoted(value)}`);
}

/** A node id, as text everywhere here. */
export const NodeId = new GraphQLScalarType<string, string>({
  name: "NodeId",
  description: "`NodeID-` and 20 bytes in CB58.",
  specifiedByURL: SPECIFIED_BY.NodeId,
  serialize: String,
  parseValue: parseId,
  parseLiteral: (node) => parseId(node.kind === Kind.STRING ? node.value : undefined),
});
