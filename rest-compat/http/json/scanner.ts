/** Go's limit of nested arrays and objects. */
const MAX_DEPTH = 10_000;

/** A syntax error with the message of Go's decoder. */
export class JsonSyntaxError extends Error {}

const code = (character: string): number => character.charCodeAt(0);
const QUOTE = code('"');
const BACKSLASH = code("\\");
const COMMA = code(",");
const COLON = code(":");
const OPEN_OBJECT = code("{");
const CLOSE_OBJECT = code("}");
const OPEN_ARRAY = code("[");
const CLOSE_ARRAY = code("]");
const MINUS = code("-");
const PLUS = code("+");
const POINT = code(".");
const ZERO = code("0");

/** A range of bytes; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds the first JSON value and ignores the bytes after it. Throws `JsonSyntaxError`. */
export function firstValue(bytes: Uint8Array): Span {
  const start = afterSpace(bytes, 0);
  if (start === bytes.length) throw new JsonSyntaxError("EOF");
  return { start, end: endOfValue(bytes, start) };
}

/** Finds the only JSON value, around which there may be white space. Throws `JsonSyntaxError`. */
export function onlyValue(bytes: Uint8Array): Span {
  const value = firstValue(bytes);
  const next = afterSpace(bytes, value.end);
  if (next < bytes.length) throw unexpected(bytes, next, "after top-level value");
  return value;
}

/** The bytes of a range. */
export function partOf(bytes: Uint8Array, { start, end }: Span): Uint8Array {
  return bytes.subarray(start, end);
}

/** Key and value of each member of an object that was scanned before. */
export function* membersOf(bytes: Uint8Array): Generator<{ key: Span; value: Span }> {
  let at = afterSpace(bytes, 1);
  while (bytes[at] !== CLOSE_OBJECT) {
    const key = { start: at, end: endOfString(bytes, at) };
    const from = afterSpace(bytes, afterSpace(bytes, key.end) + 1);
    const value = { start: from, end: endOfValue(bytes, from) };
    yield { key, value };
    at = afterSeparator(bytes, value.end);
  }
}

/** Each element of an array that was scanned before. */
export function* elementsOf(bytes: Uint8Array): Generator<Span> {
  let at = afterSpace(bytes, 1);
  while (bytes[at] !== CLOSE_ARRAY) {
    const value = { start: at, end: endOfValue(bytes, at) };
    yield value;
    at = afterSeparator(bytes, value.end);
  }
}

function afterSeparator(bytes: Uint8Array, end: number): number {
  const at = afterSpace(bytes, end);
  return bytes[at] === COMMA ? afterSpace(bytes, at + 1) : at;
}

/** The end of the value that starts at `start`. It does not recurse, because a body may contain thousands of levels. */
function endOfValue(bytes: Uint8Array, start: number): number {
  const closers: number[] = [];
  let at = start;
  for (;;) {
    at = beginValue(bytes, at, closers);
    for (;;) {
      const closer = closers.at(-1);
      if (closer === undefined) return at;
      at = afterSpace(bytes, at);
      if (bytes[at] === closer) {
        closers.pop();
        at++;
      } else if (bytes[at] === COMMA) {
        at = afterSpace(bytes, at + 1);
        if (closer === CLOSE_OBJECT) at = afterKey(bytes, at);
        break;
      } else
        throw unexpected(bytes, at, closer === CLOSE_OBJECT ? "after object key:value pair" : "after array element");
    }
  }
}

/**
 * Skips opening brackets and keys until the first scalar, or empty object or array, has ended. Pushes the expected closing
 * brackets.
 */
function beginValue(bytes: Uint8Array, start: number, closers: number[]): number {
  let at = start;
  for (;;) {
    const isObject = bytes[at] === OPEN_OBJECT;
    if (!isObject && bytes[at] !== OPEN_ARRAY) return endOfScalar(bytes, at);
    closers.push(isObject ? CLOSE_OBJECT : CLOSE_ARRAY);
    if (closers.length > MAX_DEPTH) throw unexpected(bytes, at, "exceeded max depth");
    at = afterSpace(bytes, at + 1);
    // The caller reads the closing bracket.
    if (bytes[at] === closers.at(-1)) return at;
    if (isObject) at = afterKey(bytes, at);
  }
}

/** The start of a member's value. `at` is the start of its key. */
function afterKey(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) throw unexpected(bytes, at, "looking for beginning of object key string");
  const end = afterSpace(bytes, endOfString(bytes, at));
  if (bytes[end] !== COLON) throw unexpected(bytes, end, "after object key");
  return afterSpace(bytes, end + 1);
}

const LITERALS: ReadonlyMap<number | undefined, string> = new Map(
  ["true", "false", "null"].map((word) => [code(word), word]),
);

function endOfScalar(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === QUOTE) return endOfString(bytes, at);
  if (byte === MINUS || isDigit(byte)) return endOfNumber(bytes, at);
  const word = LITERALS.get(byte);
  if (!word) throw unexpected(bytes, at, "looking for beginning of value");
  for (let i = 1; i < word.length; i++)
    if (bytes[at + i] !== word.charCodeAt(i))
      throw unexpected(bytes, at + i, `in literal ${word} (expecting '${word[i]}')`);
  return at + word.length;
}

const ESCAPABLE: ReadonlySet<number | undefined> = new Set([...'"\\/bfnrt'].map(code));

function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; ; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === undefined || byte < 0x20) throw unexpected(bytes, at, "in string literal");
    if (byte === BACKSLASH) at = endOfEscape(bytes, at + 1);
  }
}

/** The index of an escape's last byte. `at` is the index after the backslash. */
function endOfEscape(bytes: Uint8Array, at: number): number {
  if (ESCAPABLE.has(bytes[at])) return at;
  if (bytes[at] !== code("u")) throw unexpected(bytes, at, "in string escape code");
  for (let i = 1; i <= 4; i++)
    if (!isHexDigit(bytes[at + i])) throw unexpected(bytes, at + i, "in \\u hexadecimal character escape");
  return at + 4;
}

function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  if (!isDigit(bytes[at])) throw unexpected(bytes, at, "in numeric literal");
  at = bytes[at] === ZERO ? at + 1 : afterDigits(bytes, at);
  if (bytes[at] === POINT) {
    if (!isDigit(bytes[at + 1])) throw unexpected(bytes, at + 1, "after decimal point in numeric literal");
    at = afterDigits(bytes, at + 1);
  }
  if (bytes[at] !== code("e") && bytes[at] !== code("E")) return at;
  at += bytes[at + 1] === PLUS || bytes[at + 1] === MINUS ? 2 : 1;
  if (!isDigit(bytes[at])) throw unexpected(bytes, at, "in exponent of numeric literal");
  return afterDigits(bytes, at);
}

function afterDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at])) at++;
  return at;
}

function afterSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}

function isHexDigit(byte: number | undefined): boolean {
  return byte !== undefined && /[0-9a-f]/i.test(String.fromCharCode(byte));
}

function unexpected(bytes: Uint8Array, at: number, where: string): JsonSyntaxError {
  const byte = bytes[at];
  if (byte === undefined) return new JsonSyntaxError("unexpected EOF");
  return new JsonSyntaxError(`invalid character ${quotedByte(byte)} ${where}`);
}

const NAMED_ESCAPES: Readonly<Record<number, string>> = {
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
  39: "\\'",
  92: "\\\\",
};

/** A byte as Go's decoder quotes it: as the character with this code point. */
function quotedByte(byte: number): string {
  const hex = byte.toString(16).padStart(2, "0");
  if (NAMED_ESCAPES[byte]) return `'${NAMED_ESCAPES[byte]}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${hex}'`;
  return (byte > 0x7f && byte <= 0xa0) || byte === 0xad ? `'\\u00${hex}'` : `'${String.fromCharCode(byte)}'`;
}
