const TAB = 0x09;
const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
const N = 0x4e;
/** Shorter texts are copied in JavaScript, which takes less time than a call of `Buffer.write`. */
const SHORT = 16;

/**
 * Rows in the text format of COPY. Values are byte strings as `pgBytes` returns them, numbers, booleans and names of ASCII letters: only
 * the backslash of a byte string is escaped. `null` is NULL. `Session.copy` takes rows with other texts.
 */
export function encodedRows(rows: readonly (readonly (string | null)[])[]): Buffer {
  const buffer = Buffer.allocUnsafe(rows.reduce((size, row) => size + maxLength(row), 0));
  let at = 0;
  for (const row of rows) {
    for (const value of row) {
      at = append(buffer, at, value);
      buffer[at++] = TAB;
    }
    buffer[at - 1] = NEWLINE;
  }
  return buffer.subarray(0, at);
}

/** With a separator and a possible backslash for each value. */
function maxLength(row: readonly (string | null)[]): number {
  let length = 0;
  for (const value of row) length += value === null ? 3 : value.length + 2;
  return length;
}

/** Returns the position after the value. */
function append(buffer: Buffer, start: number, value: string | null): number {
  let at = start;
  if (value === null) {
    buffer[at++] = BACKSLASH;
    buffer[at++] = N;
    return at;
  }
  if (value.charCodeAt(0) === BACKSLASH) buffer[at++] = BACKSLASH;
  if (value.length > SHORT) return at + buffer.write(value, at, "latin1");
  for (let i = 0; i < value.length; i++) buffer[at++] = value.charCodeAt(i);
  return at;
}
