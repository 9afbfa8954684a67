import { GraphQLScalarType } from "graphql";
import { formatId } from "../../core/formats/id-text.ts";
import { Hash as CoreHash, Hex as CoreHex } from "../../core/graph/scalars.ts";
import { outputScalar } from "../shared/schema/output-scalar.ts";

const isHexId = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

/** A 32-byte id: hex digits from the signature service, CB58 in references and responses. Output only. */
export const Id = outputScalar("Id", (value) => (isHexId(value) ? formatId(value) : String(value)));

/** A node id as text. Output only. */
export const NodeId = outputScalar("NodeId", String);

/** The scalar for values that have no `0x`, as the signature service sends them. */
function fromBareHex(scalar: GraphQLScalarType): GraphQLScalarType {
  return new GraphQLScalarType({ ...scalar.toConfig(), extensions: {}, serialize: (value) => `0x${value}` });
}

/** 32 bytes, given as hex digits. Output only. */
export const Hash = fromBareHex(CoreHash);

/** Bytes of any length, given as hex digits. Output only. */
export const Hex = fromBareHex(CoreHex);
