import { isUtf8 } from "node:buffer";

const HTML: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** The JSON of a value, as Go's encoder writes it. */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => HTML[character] as string);
}

/** Compares texts by their UTF-8 bytes, the order of the keys of a Go map. */
export function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

const NAMED_ESCAPES: Readonly<Record<string, string>> = {
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

/** A text quoted like Go's `%q`. */
export function goQuoted(text: string): string {
  return `"${Array.from(text, quotedCharacter).join("")}"`;
}

function quotedCharacter(character: string): string {
  if (NAMED_ESCAPES[character]) return NAMED_ESCAPES[character];
  if (character === " " || /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character)) return character;
  const point = character.codePointAt(0) as number;
  if (point < 0x20 || point === 0x7f) return `\\x${hexOf(point, 2)}`;
  return point > 0xffff ? `\\U${hexOf(point, 8)}` : `\\u${hexOf(point, 4)}`;
}

function hexOf(point: number, digits: number): string {
  return point.toString(16).padStart(digits, "0");
}

/** The upper case of a character, or the character itself if its upper case has several characters, as in Go. */
export function upperOf(character: string): string {
  const upper = character.toUpperCase();
  return Array.from(upper).length === 1 ? upper : character;
}

/** Decodes the bytes of a JSON string with its quotes. Like Go, it replaces each byte that is not part of UTF-8 by U+FFFD. */
export function textOf(literal: Uint8Array): string {
  const inner = decoded(literal.subarray(1, -1));
  if (!inner.includes("\\")) return inner;
  const unescaped = inner.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, hex?: string, short?: string) =>
    hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (ESCAPES[short as string] ?? (short as string)),
  );
  // Encoding as UTF-8 replaces lone surrogates by U+FFFD.
  return Buffer.from(unescaped).toString();
}

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

function decoded(bytes: Uint8Array): string {
  const text = isUtf8(bytes) ? bytes : repaired(bytes);
  return Buffer.from(text.buffer, text.byteOffset, text.length).toString();
}

const REPLACEMENT = Buffer.from("\ufffd");

/** The bytes, with a U+FFFD in place of each byte that is not part of a character. */
function repaired(bytes: Uint8Array): Buffer {
  const text = Buffer.allocUnsafe(bytes.length * REPLACEMENT.length);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const width = widthAt(bytes, at);
    if (width === 0) length += REPLACEMENT.copy(text, length);
    for (let i = 0; i < width; i++) text[length++] = bytes[at + i] as number;
    at += width || 1;
  }
  return text.subarray(0, length);
}

/** The number of bytes of the character that starts at an index; 0 if none starts there. */
function widthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const [min, max] = SECOND_BYTES.get(first) ?? [0x80, 0xbf];
  const second = bytes[at + 1] ?? 0;
  if (first < 0xc2 || first > 0xf4 || second < min || second > max) return 0;
  const width = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let i = 2; i < width; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return width;
}

/** Bounds of the second byte, by first byte, that exclude overlong forms, surrogates and characters above U+10FFFF. */
const SECOND_BYTES: ReadonlyMap<number, readonly [min: number, max: number]> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);
