import { isUtf8 } from "node:buffer";

const HTML: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** JSON of any value as Go's encoder writes it. */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => HTML[character] as string);
}

/** Order of texts by their bytes in UTF-8, in which Go writes the keys of a map. */
export function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

const NAMED: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** A text as Go's `%q` quotes it. */
export function goQuoted(text: string): string {
  return `"${Array.from(text, quotedCharacter).join("")}"`;
}

function quotedCharacter(character: string): string {
  if (NAMED[character]) return NAMED[character];
  if (character === " " || /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character)) return character;
  const point = character.codePointAt(0) as number;
  if (point < 0x20 || point === 0x7f) return `\\x${hexOf(point, 2)}`;
  return point > 0xffff ? `\\U${hexOf(point, 8)}` : `\\u${hexOf(point, 4)}`;
}

function hexOf(point: number, digits: number): string {
  return point.toString(16).padStart(digits, "0");
}

/** The upper case of a character where that is one character, else itself: Go knows no longer ones. */
export function upperOf(character: string): string {
  const upper = character.toUpperCase();
  return Array.from(upper).length === 1 ? upper : character;
}

/** Text of a JSON string's bytes, quotes included, as Go decodes it: what is no UTF-8 becomes U+FFFD byte by byte. */
export function textOf(literal: Uint8Array): string {
  const inner = decoded(literal.subarray(1, -1));
  if (!inner.includes("\\")) return inner;
  const unescaped = inner.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, hex?: string, short?: string) =>
    hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (ESCAPES[short as string] ?? (short as string)),
  );
  // Lone surrogates become U+FFFD on the way through UTF-8.
  return Buffer.from(unescaped).toString();
}

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

function decoded(bytes: Uint8Array): string {
  const text = isUtf8(bytes) ? bytes : repaired(bytes);
  return Buffer.from(text.buffer, text.byteOffset, text.length).toString();
}

const MISSING = Buffer.from("\ufffd");

/** The bytes with a U+FFFD for each that is no part of a character. */
function repaired(bytes: Uint8Array): Buffer {
  const text = Buffer.allocUnsafe(bytes.length * MISSING.length);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const width = widthAt(bytes, at);
    if (width === 0) length += MISSING.copy(text, length);
    for (let i = 0; i < width; i++) text[length++] = bytes[at + i] as number;
    at += width || 1;
  }
  return text.subarray(0, length);
}

/** How many bytes the character has that starts there; 0 where none does. */
function widthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const [least, most] = SECONDS.get(first) ?? [0x80, 0xbf];
  const second = bytes[at + 1] ?? 0;
  if (first < 0xc2 || first > 0xf4 || second < least || second > most) return 0;
  const width = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let i = 2; i < width; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return width;
}

/** Bounds of the second byte where not all are allowed: by the first, no longer forms, no surrogates, nothing too high. */
const SECONDS: ReadonlyMap<number, readonly [least: number, most: number]> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);
