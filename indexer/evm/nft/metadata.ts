import { toUSVString } from "node:util";
import { Missed } from "./statuses.ts";
import { withId } from "./token-uri.ts";

export type ErcType = "ERC-721" | "ERC-1155";

/** What is kept of a token's metadata, by column; null where it has none that fits. */
export interface Metadata {
  readonly name: string | null;
  readonly symbol: string | null;
  readonly image_uri: string | null;
  readonly description: string | null;
  readonly animation_uri: string | null;
  readonly external_url: string | null;
  readonly background: string | null;
  readonly attributes: string | null;
  readonly decimals: number | null;
  readonly properties: string | null;
}

export const NO_METADATA: Metadata = {
  name: null,
  symbol: null,
  image_uri: null,
  description: null,
  animation_uri: null,
  external_url: null,
  background: null,
  attributes: null,
  decimals: null,
  properties: null,
};

/** Longest text that is kept whole or not at all: a URI or JSON that is cut is none. */
export const MAX_WHOLE_CHARACTERS = 65_536;

const PLACE_CHARACTERS = "%7Bid%7D".length;

type Members = Readonly<Record<string, unknown>>;
/** Puts the token's id into a text, where the standard has that; it never becomes shorter. */
type Fill = (text: string) => string;
type Read = (value: unknown, fill: Fill) => string | null;

/** Members that may hold a column's value, the first that fits counts, and how it is read. */
const TEXTS = {
  name: [["name"], cut(1_000)],
  symbol: [["symbol"], cut(100)],
  image_uri: [["image", "image_url"], whole],
  description: [["description"], cut(10_000)],
  animation_uri: [["animation_url"], whole],
  external_url: [["external_url"], whole],
  background: [["background_color"], cut(100)],
} as const satisfies Partial<Record<keyof Metadata, readonly [readonly string[], Read]>>;

/**
 * Reads metadata as ERC-721 and ERC-1155 describe it. A member of the wrong type is left out. Throws `Missed` with
 * `INVALID_METADATA_JSON`, or `INVALID_METADATA` for JSON that is no object.
 */
export function parseMetadata(text: string, ercType: ErcType, tokenId: string): Metadata {
  const members = membersOf(text);
  const fill: Fill = ercType === "ERC-1155" ? (value) => withId(value, tokenId) : (value) => value;
  const texts = Object.entries(TEXTS).map(([column, [names, read]]) => [column, firstOf(members, names, read, fill)]);
  const metadata: Metadata = { ...NO_METADATA, ...Object.fromEntries(texts) };
  if (ercType === "ERC-721") return { ...metadata, attributes: jsonText(members["attributes"], fill) };
  return {
    ...metadata,
    decimals: decimalsOf(members["decimals"]),
    properties: jsonText(members["properties"], fill),
  };
}

function membersOf(text: string): Members {
  const value = parsed(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Missed("INVALID_METADATA", "JSON that is no object");
  return value as Members;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Missed("INVALID_METADATA_JSON", "no JSON");
  }
}

function firstOf(members: Members, names: readonly string[], read: Read, fill: Fill): string | null {
  for (const name of names) {
    const value = read(members[name], fill);
    if (value !== null) return value;
  }
  return null;
}

/** A text, or a whole number as one; null for anything else. */
function textOf(value: unknown): string | null {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" ? text : null;
}

/** Text without what PostgreSQL refuses: NUL goes, halves of surrogate pairs become U+FFFD. */
export function storable(text: string): string {
  return toUSVString(text.replaceAll("\0", ""));
}

function cut(characters: number): Read {
  return (value, fill) => {
    // No more than can be shown, and a whole `%7Bid%7D` at the end of that.
    const text = fill((textOf(value) ?? "").slice(0, characters + PLACE_CHARACTERS)).slice(0, characters);
    // The last one may be the first half of a pair.
    return storable(text.replace(/[\ud800-\udbff]$/, "")) || null;
  };
}

function whole(value: unknown, fill: Fill): string | null {
  const unfilled = textOf(value) ?? "";
  const text = unfilled.length <= MAX_WHOLE_CHARACTERS ? fill(unfilled) : unfilled;
  return text.length <= MAX_WHOLE_CHARACTERS ? storable(text) || null : null;
}

/** JSON of an array or object; null for anything else, and where it is too long or nested too deeply to be written. */
function jsonText(value: unknown, fill: Fill): string | null {
  if (typeof value !== "object" || value === null) return null;
  try {
    return whole(JSON.stringify(value), fill);
  } catch {
    return null;
  }
}

function decimalsOf(value: unknown): number | null {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255 ? Number(value) : null;
}
