/** The value of all other characters: larger than a byte, so that it shows in two digits that are put together to a byte. */
export const NO_DIGIT = 1 << 8;

/** Values of lower-case hex digits by character code. A table takes less time than a regular expression. */
export const DIGITS = new Uint16Array(1 << 16).fill(NO_DIGIT);
for (let value = 0; value < 16; value++) DIGITS[value.toString(16).charCodeAt(0)] = value;
