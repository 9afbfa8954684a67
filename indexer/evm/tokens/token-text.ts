import { abiString } from "../contract-calls/abi-string.ts";
import type { ContractAnswer } from "../contract-calls/contract-answer.ts";

const MAX_CHARACTERS = 256;
const WORD_DIGITS = 64;
/** Control characters, line breaks, invisible characters, and those that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are the characters to remove
const HARMFUL = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/**
 * The text that name() or symbol() returned: an ABI string, or the bytes32 of old tokens; empty if there is none. Invalid
 * UTF-8 becomes U+FFFD, harmful characters are removed, and at most 256 characters are kept.
 */
export function decodeText(answer: ContractAnswer): string {
  if (!("result" in answer)) return "";
  const hex = answer.result.slice(2);
  const raw = stringBytes(hex) ?? bytes32Text(hex);
  const text = raw.toString("utf8").replace(HARMFUL, "").trim();
  return [...text.slice(0, 4 * MAX_CHARACTERS)].slice(0, MAX_CHARACTERS).join("");
}

/** The number in the first word that decimals() returned; 0 if there is no whole word, or if the number has more than 8 bits. */
export function decodeDecimals(answer: ContractAnswer): number {
  const word = "result" in answer ? answer.result.slice(0, 2 + WORD_DIGITS) : "";
  if (word.length < 2 + WORD_DIGITS) return 0;
  const number = BigInt(word);
  return number <= 255n ? Number(number) : 0;
}

/** The bytes of an ABI string, which may be incomplete; null if the answer is not an ABI string. */
function stringBytes(hex: string): Buffer | null {
  // A single word is a bytes32, not an offset.
  const text = hex.length < 2 * WORD_DIGITS ? null : abiString(hex);
  return text && Buffer.from(text.content.slice(0, 2 * 4 * MAX_CHARACTERS), "hex");
}

/** A single word up to its first zero byte. */
function bytes32Text(hex: string): Buffer {
  if (hex.length !== WORD_DIGITS) return Buffer.alloc(0);
  const bytes = Buffer.from(hex, "hex");
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}
