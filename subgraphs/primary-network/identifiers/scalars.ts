import { outputScalar } from "../../shared/schema/output-scalar.ts";
import { idText, nodeIdText } from "./ids.ts";

function textOf(value: unknown, format: (hex: string) => string): string {
  if (typeof value === "string") return value.startsWith("0x") ? format(value) : value;
  throw new TypeError("not an ID");
}

/** A 32-byte ID: `0x` hex in rows, CB58 in responses. Output only. */
export const Id = outputScalar("Id", (value) => textOf(value, idText));

/** A node ID: `0x` hex in rows, `NodeID-…` in responses. Output only. */
export const NodeId = outputScalar("NodeId", (value) => textOf(value, nodeIdText));
