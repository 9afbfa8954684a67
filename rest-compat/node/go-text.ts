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
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decoded(bytes: Uint8Array): string {
  return utf8(bytes) ?? byCharacters(bytes);
}

function utf8(bytes: Uint8Array): string | null {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}

function byCharacters(bytes: Uint8Array): string {
  const found: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] as number;
    const width = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const character = utf8(bytes.subarray(at, at + width));
    found.push(character ?? "\ufffd");
    at += character === null ? 1 : width;
  }
  return found.join("");
}
