import { abiString } from "../contract-calls/abi-string.ts";

const MAX_CHARACTERS = 256;
const WORD_DIGITS = 64;
/** Control characters, line breaks, invisible ones, and those that turn the direction of text round: harmful where shown. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const HARMFUL = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** An answer of a token contract as it is stored: what `eth_call` gave, or why it gave nothing. */
export type TokenAnswer = { readonly result: string } | { readonly error: string };

/**
 * Text that name() or symbol() answered: an ABI string, or the bytes32 of old tokens. Empty when there is none. Bytes that
 * are no UTF-8 become U+FFFD, harmful characters go, and 256 characters are kept.
 */
export function decodeText(answer: TokenAnswer): string {
  if (!("result" in answer)) return "";
  const hex = answer.result.slice(2);
  const raw = dynamic(hex) ?? bytes32(hex);
  const text = raw.toString("utf8").replace(HARMFUL, "").trim();
  return [...text.slice(0, 4 * MAX_CHARACTERS)].slice(0, MAX_CHARACTERS).join("");
}

/** Number that decimals() answered; 0 when it answered nothing or more than a uint8 holds. */
export function decodeDecimals(answer: TokenAnswer): number {
  if (!("result" in answer) || answer.result.length !== 2 + WORD_DIGITS) return 0;
  const number = BigInt(answer.result);
  return number <= 255n ? Number(number) : 0;
}

/** Content that is cut short counts as far as it goes. */
function dynamic(hex: string): Buffer | null {
  // A single word is no offset.
  const text = hex.length < 2 * WORD_DIGITS ? null : abiString(hex);
  return text && Buffer.from(text.content.slice(0, 2 * 4 * MAX_CHARACTERS), "hex");
}

/** Up to the first zero byte of a single word. */
function bytes32(hex: string): Buffer {
  if (hex.length !== WORD_DIGITS) return Buffer.alloc(0);
  const bytes = Buffer.from(hex, "hex");
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}
