/** Kinds of characters, and by `or` of texts. */
const DIGIT = 0;
const UPPER_CASE = 1;
const OTHER = 2;

/** Kinds of characters by their codes. A table takes less time than a regular expression. */
const KINDS = new Uint8Array(1 << 16).fill(OTHER);
for (const character of "0123456789abcdef") KINDS[character.charCodeAt(0)] = DIGIT;
for (const character of "ABCDEF") KINDS[character.charCodeAt(0)] = UPPER_CASE;

/** `0x` or `0X`, and the rest. */
const ZERO = 0x30;
const X = 0x78;
const UPPER_X = 0x58;

/** What a text is as hex with `0x`. */
export type HexForm = "not hex" | "lower case" | "mixed case";

/** Whether the text is `0x` and any number of hex digits, and whether all letters are lower-case. */
export function hexFormOf(text: string): HexForm {
  if (text.length < 2 || text.charCodeAt(0) !== ZERO) return "not hex";
  const x = text.charCodeAt(1);
  if (x !== X && x !== UPPER_X) return "not hex";
  let kinds = x === X ? DIGIT : UPPER_CASE;
  for (let at = 2; at < text.length; at++) kinds |= KINDS[text.charCodeAt(at)] as number;
  if (kinds >= OTHER) return "not hex";
  return kinds === DIGIT ? "lower case" : "mixed case";
}

const NO_DIGIT = 16;
/** Values of hex digits by character code. */
const VALUES = new Uint8Array(1 << 16).fill(NO_DIGIT);
for (const digits of ["0123456789abcdef", "0123456789ABCDEF"])
  for (const [value, digit] of [...digits].entries()) VALUES[digit.charCodeAt(0)] = value;

/** The number that `0x` and hex digits stand for; null for any other text. The text has at most 12 digits, so the number is exact. */
export function smallNumberOf(text: string): number | null {
  if (text.charCodeAt(0) !== ZERO) return null;
  const x = text.charCodeAt(1);
  if (x !== X && x !== UPPER_X) return null;
  let number = 0;
  let seen = 0;
  for (let at = 2; at < text.length; at++) {
    const value = VALUES[text.charCodeAt(at)] as number;
    seen |= value;
    number = 16 * number + value;
  }
  return seen >= NO_DIGIT ? null : number;
}
