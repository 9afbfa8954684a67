import { decodeCb58, encodeCb58 } from "./cb58.ts";

const NODE_ID_PREFIX = "NodeID-";

/** CB58 of an id or a bare address, given in hex without `0x`. */
export function formatId(hex: string): string {
  return encodeCb58(Buffer.from(hex, "hex"));
}

/** Hex, without `0x`, of a 32-byte id in CB58; null if it is not one. */
export function parseIdText(text: string): string | null {
  return parseBytes(text, 32);
}

/** `NodeID-…` of a node's 20 bytes in hex. */
export function formatNodeId(hex: string): string {
  return NODE_ID_PREFIX + formatId(hex);
}

/** Hex, without `0x`, of a `NodeID-…`; null if it is not one. */
export function parseNodeId(text: string): string | null {
  return text.startsWith(NODE_ID_PREFIX) ? parseBytes(text.slice(NODE_ID_PREFIX.length), 20) : null;
}

function parseBytes(text: string, length: number): string | null {
  const bytes = decodeCb58(text);
  return bytes?.length === length ? Buffer.from(bytes).toString("hex") : null;
}
