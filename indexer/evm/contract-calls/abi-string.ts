const WORD_DIGITS = 64;

/** A dynamic string or bytes in an answer: what it says of its length, and what there is of it. */
export interface AbiString {
  readonly length: number;
  /** Hex digits: fewer than two for each byte where the answer ends before. */
  readonly content: string;
}

/** Reads offset, length and content (hex without `0x`); null when the words do not make any. */
export function abiString(hex: string): AbiString | null {
  const offset = smallWord(hex, 0);
  const length = offset === null ? null : smallWord(hex, offset * 2);
  if (offset === null || length === null) return null;
  const start = offset * 2 + WORD_DIGITS;
  return { length, content: hex.slice(start, start + length * 2) };
}

/** A word as a number; null when it is not there, or too large for any offset or length. */
function smallWord(hex: string, at: number): number | null {
  const word = hex.slice(at, at + WORD_DIGITS);
  if (word.length !== WORD_DIGITS) return null;
  const number = BigInt(`0x${word}`);
  return number < 1n << 32n ? Number(number) : null;
}
