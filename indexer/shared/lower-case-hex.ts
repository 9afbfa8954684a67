/** The value of all other characters: larger than a byte, so that it shows in two digits that are put together to a byte. */
const NO_DIGIT = 1 << 8;

/** Values of lower-case hex digits by character code. A table takes less time than a regular expression. */
const DIGITS = new Uint16Array(1 << 16).fill(NO_DIGIT);
for (let value = 0; value < 16; value++) DIGITS[value.toString(16).charCodeAt(0)] = value;

/**
 * Writes the bytes of the lower-case hex digits from a position of a text; an odd number of digits gets a zero in front. Returns false if the
 * text has other characters there; the bytes are then wrong.
 */
export function writeLowerCaseHex(text: string, from: number, bytes: Uint8Array, start: number): boolean {
  let at = start;
  let next = from;
  let seen = 0;
  if ((text.length - from) % 2 === 1) {
    seen = DIGITS[text.charCodeAt(next++)] as number;
    bytes[at++] = seen;
  }
  for (; next < text.length; next += 2) {
    const byte = ((DIGITS[text.charCodeAt(next)] as number) << 4) | (DIGITS[text.charCodeAt(next + 1)] as number);
    seen |= byte;
    bytes[at++] = byte;
  }
  return seen < NO_DIGIT;
}
