import { GraphQLScalarType, valueFromASTUntyped } from "graphql";
import { Failure, quoted } from "../../core/errors/errors.ts";
import { parseNodeId } from "../../core/formats/id-text.ts";
import { outputScalar, SCALARS } from "../shared/schema/output-scalar.ts";

/** A 32-byte id as CB58 text. Output only. */
export const Id = outputScalar("Id", String);

function parseId(value: unknown): string {
  if (typeof value === "string" && parseNodeId(value) !== null) return value;
  throw new Failure("INVALID_PARAMETER", `must be NodeID- followed by 20 bytes in CB58, got ${quoted(value)}`);
}

/** A node id as text. */
export const NodeId = new GraphQLScalarType<string, string>({
  name: "NodeId",
  ...SCALARS.NodeId,
  serialize: String,
  parseValue: parseId,
  parseLiteral: (node) => parseId(valueFromASTUntyped(node)),
});
