import { createHash } from "node:crypto";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const CHECKSUM_BYTES = 4;

const checksum = (bytes: Uint8Array): Uint8Array =>
  createHash("sha256").update(bytes).digest().subarray(-CHECKSUM_BYTES);

/** CB58 of any bytes: base58 of the bytes and the last four of their SHA-256, as nodes print ids. */
export function encodeCb58(bytes: Uint8Array): string {
  const all = Buffer.concat([bytes, checksum(bytes)]);
  let number = BigInt(`0x${all.toString("hex")}`);
  let text = "";
  for (; number > 0n; number /= 58n) text = ALPHABET[Number(number % 58n)] + text;
  const zeros = all.findIndex((byte) => byte !== 0);
  return "1".repeat(zeros === -1 ? all.length : zeros) + text;
}

/** Bytes of a CB58 text; null when a character or the checksum is wrong. */
export function decodeCb58(text: string): Uint8Array | null {
  let number = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return null;
    number = number * 58n + BigInt(digit);
  }
  const hex = number === 0n ? "" : number.toString(16);
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const all = Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 ? `0${hex}` : hex, "hex")]);
  const bytes = all.subarray(0, -CHECKSUM_BYTES);
  return Buffer.compare(checksum(bytes), all.subarray(-CHECKSUM_BYTES)) === 0 ? bytes : null;
}

/** A 32-byte id in CB58, whether given so or as 64 hex digits with or without `0x`; null when it is neither. */
export function parseId(text: string): string | null {
  const hex = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1];
  if (hex) return encodeCb58(Buffer.from(hex, "hex"));
  const bytes = text.length <= 60 ? decodeCb58(text) : null;
  return bytes?.length === 32 ? text : null;
}
