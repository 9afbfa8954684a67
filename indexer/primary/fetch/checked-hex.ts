import { hash } from "node:crypto";
import { BadUpstreamData, quoted } from "../../../core/errors/errors.ts";

const CHECKSUM_BYTES = 4;
const HEX = /^0x(?:[0-9a-fA-F]{2})*$/;

/** Parses a node's encoding `hexnc`: `0x` and hex digits. Throws `BadUpstreamData`; the message names `what`. */
export function parseHex(text: unknown, what: string): Uint8Array {
  if (typeof text !== "string" || !HEX.test(text)) throw new BadUpstreamData(`${what} is ${quoted(text)}, not hex`);
  return Buffer.from(text.slice(2), "hex");
}

/**
 * Parses a node's encoding `hex`: as `hexnc`, followed by a checksum (the last four bytes of the SHA-256). Throws as
 * `parseHex`.
 */
export function parseCheckedHex(text: unknown, what: string): Uint8Array {
  const all = parseHex(text, what);
  if (all.byteLength < CHECKSUM_BYTES)
    throw new BadUpstreamData(`${what} is ${quoted(text)}, too short for a checksum`);
  const bytes = all.subarray(0, -CHECKSUM_BYTES);
  if (!hash("sha256", bytes, "buffer").subarray(-CHECKSUM_BYTES).equals(all.subarray(-CHECKSUM_BYTES)))
    throw new BadUpstreamData(`${what} has a wrong checksum`);
  return bytes;
}
