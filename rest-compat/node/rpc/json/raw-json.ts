import { textOf } from "./go-text.ts";
import { elementsOf, membersOf, type Span } from "./scanner.ts";

/** Bytes of one JSON value that was scanned, as they were sent. */
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

/** Type of a value, as Go names it. */
export function kindOf(value: RawJson): Kind {
  return KINDS[String.fromCharCode(value[0] as number)] ?? "number";
}

/** Members of an object in the order given, names folded: Go knows them in any casing, and of two the last counts. */
export function* namedMembers(object: RawJson): Generator<{ name: string; value: RawJson }> {
  for (const { key, value } of membersOf(object))
    yield { name: foldedName(textOf(partOf(object, key))), value: partOf(object, value) };
}

/** Elements of an array. */
export function* elements(array: RawJson): Generator<RawJson> {
  for (const element of elementsOf(array)) yield partOf(array, element);
}

export function partOf(bytes: Uint8Array, { start, end }: Span): RawJson {
  return bytes.subarray(start, end);
}

/** A member's name in lower case; the two letters beyond ASCII that fold into it are taken for theirs. */
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
/** Bytes of `\u003c`. */
const ESCAPED = 6;
const HEX = Buffer.from("0123456789abcdef");

/** The value as Go writes it back: its own bytes, without space between them, `<`, `>`, `&` and line separators escaped. */
export function compacted(value: RawJson): Buffer {
  // Byte by byte into one buffer: any part of a large value may be such characters.
  const written = Buffer.allocUnsafe(value.length * ESCAPED);
  let length = 0;
  let isText = false;
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
    } else if (isText || !SPACE.has(byte)) put(byte);
    if (byte === QUOTE) isText = !isText;
    // What is escaped ends no text.
    else if (byte === BACKSLASH) put(value[++at] as number);
  }
  return written.subarray(0, length);
}

/** U+2028 or U+2029, in UTF-8. */
function isLineSeparator(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xe2 && bytes[at + 1] === 0x80 && (bytes[at + 2] === 0xa8 || bytes[at + 2] === 0xa9);
}
