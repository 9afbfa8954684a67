import { elementsOf, membersOf, partOf } from "../../../http/json/scanner.ts";
import { textOf } from "./go-text.ts";

/** The bytes of one valid JSON value, as they were sent. */
export type RawJson = Uint8Array;

export type Kind = "object" | "array" | "string" | "bool" | "null" | "number";

const KINDS: Readonly<Record<string, Kind>> = {
  "{": "object",
  "[": "array",
  '"': "string",
  t: "bool",
  f: "bool",
  n: "null",
};

/** The type of a value, with Go's name. */
export function kindOf(value: RawJson): Kind {
  return KINDS[String.fromCharCode(value[0] as number)] ?? "number";
}

/**
 * The members of an object in their order, with folded names. Go matches names in any casing, and the last of equal names
 * counts.
 */
export function* namedMembers(object: RawJson): Generator<{ name: string; value: RawJson }> {
  for (const { key, value } of membersOf(object))
    yield { name: foldedName(textOf(partOf(object, key))), value: partOf(object, value) };
}

/** The elements of an array. */
export function* elements(array: RawJson): Generator<RawJson> {
  for (const element of elementsOf(array)) yield partOf(array, element);
}

/**
 * A member's name with its ASCII letters in lower case. The two other letters that match an ASCII letter in any casing are replaced by
 * it: U+017F (long s) by `s`, U+212A (Kelvin sign) by `k`.
 */
export function foldedName(name: string): string {
  return name
    .replaceAll("\u017f", "s")
    .replaceAll("\u212a", "k")
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

const HTML: ReadonlySet<number> = new Set([0x3c, 0x3e, 0x26]);
const SPACE: ReadonlySet<number> = new Set([0x20, 0x0a, 0x0d, 0x09]);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The length of `\u003c`. */
const ESCAPE_LENGTH = 6;
const HEX = Buffer.from("0123456789abcdef");

/** The value as Go's encoder copies it: white space is removed; `<`, `>`, `&` and line separators are escaped. */
export function compacted(value: RawJson): Buffer {
  // A large value may consist of escaped characters only, so all bytes are written into one buffer that has room for an escape in
  // place of each byte.
  const written = Buffer.allocUnsafe(value.length * ESCAPE_LENGTH);
  let length = 0;
  let isInString = false;
  const put = (byte: number) => {
    written[length++] = byte;
  };
  const putEscaped = (point: number) => {
    put(BACKSLASH);
    put(0x75);
    for (let shift = 12; shift >= 0; shift -= 4) put(HEX[(point >> shift) & 0xf] as number);
  };
  for (let at = 0; at < value.length; at++) {
    const byte = value[at] as number;
    if (HTML.has(byte)) putEscaped(byte);
    else if (isLineSeparator(value, at)) {
      putEscaped(0x2000 | ((value[at + 2] as number) & 0x3f));
      at += 2;
    } else if (isInString || !SPACE.has(byte)) put(byte);
    if (byte === QUOTE) isInString = !isInString;
    // An escaped quote does not end the string.
    else if (byte === BACKSLASH) put(value[++at] as number);
  }
  return written.subarray(0, length);
}

/** True if U+2028 or U+2029 starts at the index. */
function isLineSeparator(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xe2 && bytes[at + 1] === 0x80 && (bytes[at + 2] === 0xa8 || bytes[at + 2] === 0xa9);
}
