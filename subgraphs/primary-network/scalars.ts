import { outputScalar, SPECIFIED_BY } from "../shared/output-scalar.ts";
import { idText, nodeIdText } from "./ids.ts";

function textOf(value: unknown, format: (hex: string) => string): string {
  if (typeof value === "string") return value.startsWith("0x") ? format(value) : value;
  throw new TypeError("not an id");
}

/** A 32-byte id: rows have it as `0x` hex, callers see CB58. Never read from callers. */
export const Id = outputScalar("Id", "32 bytes in CB58.", SPECIFIED_BY.Id, (value) => textOf(value, idText));

/** A node id: rows have it as `0x` hex. Never read from callers. */
export const NodeId = outputScalar("NodeId", "`NodeID-` and 20 bytes in CB58.", SPECIFIED_BY.NodeId, (value) =>
  textOf(value, nodeIdText),
);

/** Any JSON as it is. Never read from callers. */
export const Json = outputScalar("Json", "A JSON value.", SPECIFIED_BY.Json, (value) => value);
