import { decodeCb58, encodeCb58 } from "./cb58.ts";

const NODE_ID = "NodeID-";
/** Longer texts cannot be ids: refused before they cost anything. */
const LONGEST = 60;

/** CB58 text of an id (or of a bare address) in hex without `0x`. */
export function formatId(hex: string): string {
  return encodeCb58(Buffer.from(hex, "hex"));
}

/** Hex, without `0x`, of the CB58 text of a 32-byte id; null when it is none. */
export function parseIdText(text: string): string | null {
  return bytesOf(text, 32);
}

/** `NodeID-…` of a node's 20 bytes in hex. */
export function formatNodeId(hex: string): string {
  return NODE_ID + formatId(hex);
}

/** Hex, without `0x`, of a `NodeID-…`; null when it is none. */
export function parseNodeId(text: string): string | null {
  return text.startsWith(NODE_ID) ? bytesOf(text.slice(NODE_ID.length), 20) : null;
}

function bytesOf(text: string, length: number): string | null {
  const bytes = text.length <= LONGEST ? decodeCb58(text) : null;
  return bytes?.length === length ? Buffer.from(bytes).toString("hex") : null;
}
