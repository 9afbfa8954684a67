const WORD_DIGITS = 64;

/** An ABI-encoded string or byte string, possibly cut short. */
export interface AbiString {
  /** The declared length in bytes. */
  readonly length: number;
  /** The hex digits of the content; fewer than 2 * `length` if the answer ends early. */
  readonly content: string;
}

/** Reads the string whose offset is the first word (hex without `0x`); null if offset or length are missing or invalid. */
export function abiString(hex: string): AbiString | null {
  const offset = smallWord(hex, 0);
  const length = offset === null ? null : smallWord(hex, offset * 2);
  if (offset === null || length === null) return null;
  const start = offset * 2 + WORD_DIGITS;
  return { length, content: hex.slice(start, start + length * 2) };
}

/** The 32-byte word that starts at hex digit `at`, as a number; null if it is incomplete or not below 2^32. */
function smallWord(hex: string, at: number): number | null {
  const word = hex.slice(at, at + WORD_DIGITS);
  if (word.length !== WORD_DIGITS) return null;
  const number = BigInt(`0x${word}`);
  return number < 1n << 32n ? Number(number) : null;
}
