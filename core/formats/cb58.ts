import { hash } from "node:crypto";

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

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const CODES = Buffer.from(ALPHABET);
const ZERO_DIGIT = CODES[0] as number;
const BASE = 58;
/** This number of digits is exact as a number. Big integers take much longer, so each of their operations makes so many digits. */
const DIGITS = 9;
const CHUNK = BASE ** DIGITS;
const BIG_CHUNK = BigInt(CHUNK);
/** Digits of two bytes are at most this many times as many as the bytes: log 256 / log 58 is 1.37. */
const DIGITS_PER_BYTE = 1.5;

const VALUES = new Int8Array(128).fill(-1);
for (const [value, code] of CODES.entries()) VALUES[code] = value;

/** Base58 of bytes in hex. Each zero byte at the start is a `1`. */
export function encodeBase58(hex: string): string {
  let zeros = 0;
  while (hex.startsWith("00", 2 * zeros)) zeros++;
  const text = Buffer.allocUnsafe(zeros + Math.ceil(hex.length * DIGITS_PER_BYTE) + DIGITS);
  let at = text.length;
  let rest = BigInt(`0x0${hex}`);
  while (rest > 0n) {
    let digits = Number(rest % BIG_CHUNK);
    rest /= BIG_CHUNK;
    for (let count = 0; rest > 0n ? count < DIGITS : digits > 0; count++) {
      text[--at] = CODES[digits % BASE] as number;
      digits = Math.floor(digits / BASE);
    }
  }
  for (let count = 0; count < zeros; count++) text[--at] = ZERO_DIGIT;
  return text.toString("latin1", at);
}

/** Bytes, in hex, of Base58; null if a character is no digit. The time is quadratic in the length. */
export function decodeBase58(text: string): string | null {
  let zeros = 0;
  while (text.charCodeAt(zeros) === ZERO_DIGIT) zeros++;
  let all = 0n;
  for (let from = zeros; from < text.length; from += DIGITS) {
    const to = Math.min(from + DIGITS, text.length);
    let digits = 0;
    for (let at = from; at < to; at++) {
      const value = VALUES[text.charCodeAt(at)] ?? -1;
      if (value < 0) return null;
      digits = digits * BASE + value;
    }
    all = all * (to - from === DIGITS ? BIG_CHUNK : BigInt(BASE ** (to - from))) + BigInt(digits);
  }
  const hex = all === 0n ? "" : all.toString(16);
  return "00".repeat(zeros) + (hex.length % 2 === 1 ? `0${hex}` : hex);
}
