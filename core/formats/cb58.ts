import { hash } from "node:crypto";
import { decodeBase58, encodeBase58 } from "./base58.ts";

/** Hex digits of a checksum, which has four bytes. */
const CHECKSUM_DIGITS = 8;
/**
 * Longer texts are refused before they are decoded, because decoding takes quadratic time. The longest id has 36 bytes (with
 * its checksum), which are at most 50 characters.
 */
const MAX_TEXT_LENGTH = 60;

const checksumOf = (bytes: Uint8Array): string => hash("sha256", bytes).slice(-CHECKSUM_DIGITS);

/** CB58 of bytes, as nodes print ids: base58 of the bytes followed by the last four bytes of their SHA-256. */
export function encodeCb58(bytes: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = bytes;
  return encodeBase58(Buffer.from(buffer, byteOffset, byteLength).toString("hex") + checksumOf(bytes));
}

/** The bytes of a CB58 text; null if it is longer than any id, or if a character or the checksum is wrong. */
export function decodeCb58(text: string): Uint8Array | null {
  if (text === "" || text.length > MAX_TEXT_LENGTH) return null;
  const hex = decodeBase58(text);
  if (hex === null || hex.length < CHECKSUM_DIGITS) return null;
  const bytes = new Uint8Array(Buffer.from(hex.slice(0, -CHECKSUM_DIGITS), "hex"));
  return hex.endsWith(checksumOf(bytes)) ? bytes : null;
}

/** The CB58 text of a 32-byte id that is given in CB58, or as 64 hex digits with or without `0x`; null if it is neither. */
export function parseId(text: string): string | null {
  const hex = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1];
  if (hex) return encodeCb58(Buffer.from(hex, "hex"));
  return decodeCb58(text)?.length === 32 ? text : null;
}
