import { formatId, formatNodeId } from "../../../core/formats/id-text.ts";
import { outputScalar } from "../../shared/schema/output-scalar.ts";

/** A 32-byte id: `0x` hex in rows, CB58 in responses. Output only. */
export const Id = outputScalar("Id", (hex) => formatId(String(hex).slice(2)));

/** A node id: `0x` hex in rows, `NodeID-…` in responses. Output only. */
export const NodeId = outputScalar("NodeId", (hex) => formatNodeId(String(hex).slice(2)));
