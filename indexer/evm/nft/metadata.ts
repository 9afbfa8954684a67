import { toUSVString } from "node:util";
import { MetadataUnavailable } from "./statuses.ts";
import { fillId } from "./token-uri.ts";

export type ErcType = "ERC-721" | "ERC-1155";

/** A token's metadata by column; null if a member is missing or has the wrong type. */
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

/** Longest URI or JSON text that is stored. Longer ones are not stored at all, because a cut one would be invalid. */
export const MAX_URI_CHARACTERS = 65_536;

const PLACE_CHARACTERS = "%7Bid%7D".length;

type Members = Readonly<Record<string, unknown>>;
/** Inserts the token id into a text if the standard requires it. The result is never shorter than the text. */
type Fill = (text: string) => string;
type Read = (value: unknown, fill: Fill) => string | null;

/** By column: the members that may hold the value (the first valid one is used), and how to read it. */
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
 * Reads metadata as ERC-721 and ERC-1155 describe it. Ignores members of the wrong type. Throws `MetadataUnavailable` with
 * `INVALID_METADATA_JSON`, or `INVALID_METADATA` for JSON that is not an object.
 */
export function parseMetadata(text: string, ercType: ErcType, tokenId: string): Metadata {
  const members = membersOf(text);
  const fill: Fill = ercType === "ERC-1155" ? (value) => fillId(value, tokenId) : (value) => value;
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
    throw new MetadataUnavailable("INVALID_METADATA", "the JSON is not an object");
  return value as Members;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MetadataUnavailable("INVALID_METADATA_JSON", "not JSON");
  }
}

function firstOf(members: Members, names: readonly string[], read: Read, fill: Fill): string | null {
  for (const name of names) {
    const value = read(members[name], fill);
    if (value !== null) return value;
  }
  return null;
}

/** A text, or an integer as text; null for anything else. */
function textOf(value: unknown): string | null {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" ? text : null;
}

/** Text that PostgreSQL accepts: NUL is removed, and unpaired surrogates become U+FFFD. */
export function storable(text: string): string {
  return toUSVString(text.replaceAll("\0", ""));
}

function cut(characters: number): Read {
  return (value, fill) => {
    // Fills only the part that is kept, and a `%7Bid%7D` that may begin at its end.
    const text = fill((textOf(value) ?? "").slice(0, characters + PLACE_CHARACTERS)).slice(0, characters);
    // The cut may have split a surrogate pair.
    return storable(text.replace(/[\ud800-\udbff]$/, "")) || null;
  };
}

function whole(value: unknown, fill: Fill): string | null {
  const unfilled = textOf(value) ?? "";
  const text = unfilled.length <= MAX_URI_CHARACTERS ? fill(unfilled) : unfilled;
  return text.length <= MAX_URI_CHARACTERS ? storable(text) || null : null;
}

/** JSON of an array or object; null for anything else, and if it is too long or too deeply nested. */
function jsonText(value: unknown, fill: Fill): string | null {
  if (typeof value !== "object" || value === null || isNested(value, MAX_LEVELS)) return null;
  return whole(JSON.stringify(value), fill);
}

/** Writing JSON with many thousands of levels would exhaust the stack. */
const MAX_LEVELS = 500;

/** True if the value has more levels of objects and lists. */
function isNested(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isNested(item, levels - 1));
}

function decimalsOf(value: unknown): number | null {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255 ? Number(value) : null;
}
