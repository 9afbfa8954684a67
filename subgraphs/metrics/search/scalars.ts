import { formatId, formatNodeId } from "../../../core/formats/id-text.ts";
import { outputScalar, SPECIFIED_BY } from "../../shared/schema/output-scalar.ts";

/** A 32-byte id: `0x` hex in rows, CB58 in responses. Output only. */
export const Id = outputScalar("Id", "A 32-byte id in CB58.", SPECIFIED_BY.Id, (hex) => formatId(String(hex).slice(2)));

/** A node id: `0x` hex in rows, `NodeID-…` in responses. Output only. */
export const NodeId = outputScalar("NodeId", "A node id: `NodeID-` and 20 bytes in CB58.", SPECIFIED_BY.NodeId, (hex) =>
  formatNodeId(String(hex).slice(2)),
);
