/** Length of an address, in bytes, in words of five bits, and of its checksum in words. */
const BYTES = 20;
const WORDS = 32;
const CHECKSUM_WORDS = 6;
const ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const CODES = Buffer.from(ALPHABET);
const VALUES = new Int8Array(128).fill(-1);
for (const [value, code] of CODES.entries()) VALUES[code] = value;
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
/** Longest text in Bech32. */
const MAX_LENGTH = 90;
/** A human-readable prefix of lower case, whatever else Bech32 allows. */
const PREFIX = /^[a-z]{1,51}$/;

/**
 * Bech32 of 20 bytes in hex, as networks write addresses; null if the prefix or the length is an unusual one, which the library writes. It
 * takes a tenth of the library's time, and pages have hundreds of addresses.
 */
export function writeShortAddress(prefix: string, address: string): string | null {
  const bytes = Buffer.from(address, "hex");
  if (bytes.length !== BYTES || address.length !== 2 * BYTES || !PREFIX.test(prefix)) return null;
  const text = Buffer.allocUnsafe(WORDS + CHECKSUM_WORDS);
  let checksum = checksumOfPrefix(prefix);
  let bits = 0;
  let value = 0;
  let at = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) {
      const word = (value >> (bits - 5)) & 31;
      checksum = withWord(checksum, word);
      text[at++] = CODES[word] as number;
    }
  }
  for (let i = 0; i < CHECKSUM_WORDS; i++) checksum = withWord(checksum, 0);
  checksum ^= 1;
  for (let i = CHECKSUM_WORDS - 1; i >= 0; i--) text[at++] = CODES[(checksum >> (5 * i)) & 31] as number;
  return `${prefix}1${text.toString("latin1")}`;
}

/** The prefix and the bytes, in hex, of what `writeShortAddress` writes; null for any other text. */
export function readShortAddress(text: string): { readonly prefix: string; readonly address: string } | null {
  const start = text.length - WORDS - CHECKSUM_WORDS;
  const prefix = text.slice(0, Math.max(0, start - 1));
  if (text.length > MAX_LENGTH || text[start - 1] !== "1" || !PREFIX.test(prefix)) return null;
  let checksum = checksumOfPrefix(prefix);
  const bytes = Buffer.allocUnsafe(BYTES);
  let bits = 0;
  let value = 0;
  let at = 0;
  for (let i = start; i < text.length; i++) {
    const word = VALUES[text.charCodeAt(i)] ?? -1;
    if (word < 0) return null;
    checksum = withWord(checksum, word);
    value = ((value << 5) | word) & 0xfff;
    bits += 5;
    if (bits < 8 || at >= BYTES) continue;
    bits -= 8;
    bytes[at++] = (value >> bits) & 0xff;
  }
  return checksum === 1 ? { prefix, address: bytes.toString("hex") } : null;
}

function checksumOfPrefix(prefix: string): number {
  let checksum = 1;
  for (let i = 0; i < prefix.length; i++) checksum = withWord(checksum, prefix.charCodeAt(i) >> 5);
  checksum = withWord(checksum, 0);
  for (let i = 0; i < prefix.length; i++) checksum = withWord(checksum, prefix.charCodeAt(i) & 31);
  return checksum;
}

function withWord(checksum: number, word: number): number {
  let next = ((checksum & 0x1ffffff) << 5) ^ word;
  for (let i = 0; i < GENERATORS.length; i++) if ((checksum >> (25 + i)) & 1) next ^= GENERATORS[i] as number;
  return next;
}
