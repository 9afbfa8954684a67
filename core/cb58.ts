import { hash } from "node:crypto";
import { base58 } from "@scure/base";

const CHECKSUM_BYTES = 4;
/**
 * Longer texts are refused before they are decoded, because decoding takes quadratic time. The longest id has 36 bytes (with
 * its checksum), which are at most 50 characters.
 */
const MAX_TEXT_LENGTH = 60;

const checksumOf = (bytes: Uint8Array): Uint8Array => hash("sha256", bytes, "buffer").subarray(-CHECKSUM_BYTES);

/** CB58 of bytes, as nodes print ids: base58 of the bytes followed by the last four bytes of their SHA-256. */
export function encodeCb58(bytes: Uint8Array): string {
  return base58.encode(Buffer.concat([bytes, checksumOf(bytes)]));
}

/** The bytes of a CB58 text; null if it is longer than any id, or if a character or the checksum is wrong. */
export function decodeCb58(text: string): Uint8Array | null {
  if (text.length > MAX_TEXT_LENGTH || !/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return null;
  const all = base58.decode(text);
  if (all.length < CHECKSUM_BYTES) return null;
  const bytes = all.subarray(0, -CHECKSUM_BYTES);
  return Buffer.compare(checksumOf(bytes), all.subarray(-CHECKSUM_BYTES)) === 0 ? bytes : null;
}

/** The CB58 text of a 32-byte id that is given in CB58, or as 64 hex digits with or without `0x`; null if it is neither. */
export function parseId(text: string): string | null {
  const hex = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1];
  if (hex) return encodeCb58(Buffer.from(hex, "hex"));
  return decodeCb58(text)?.length === 32 ? text : null;
}
