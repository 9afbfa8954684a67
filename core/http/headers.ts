import type { IncomingMessage, ServerResponse } from "node:http";
import fresh from "fresh";
import createXxhash from "xxhash-wasm";
import { VERSION } from "../observability/version.ts";

/** A response that caches may store, but must revalidate before each use. Shared caches do not store it: it may need an API key. */
export const REVALIDATE = "private, no-cache";

/**
 * Headers of every response. The first three keep browsers from guessing content types, from showing an answer in a frame, and from
 * sending its URL to other sites.
 */
export const COMMON_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "x-moraine-version": VERSION,
} as const;
/** The same, names and values alternating. */
export const COMMON_HEADER_LIST: readonly string[] = Object.entries(COMMON_HEADERS).flat();

/** Sets headers that are listed as names and values, alternating. */
export function setHeaders(response: ServerResponse, headers: readonly string[]): void {
  for (const [name, value] of headerPairs(headers)) response.setHeader(name, value);
}

const { h64Raw } = await createXxhash();

/** UTF-8 has at most three bytes for a code unit of UTF-16. */
const MAX_CODE_UNIT_BYTES = 3;
const shortText = Buffer.allocUnsafeSlow(4_096);

/** The bytes of a text until the next call. For a short text, new memory would take longer than all the rest. */
function bytesOf(text: string): Uint8Array {
  if (text.length * MAX_CODE_UNIT_BYTES > shortText.length) return Buffer.from(text);
  return shortText.subarray(0, shortText.write(text));
}

/**
 * The entity tag of a text or its bytes: XXH64, so two versions of an answer have the same tag with a probability of 2^-64. It is weak,
 * because all content encodings share it.
 */
export function entityTag(content: string | Uint8Array): string {
  const digest = h64Raw(typeof content === "string" ? bytesOf(content) : content);
  return `W/"${digest.toString(16)}"`;
}

/** True if the request is conditional and the caller already has the representation with this tag. */
export function isCurrent({ headers }: IncomingMessage, etag: string): boolean {
  const condition = headers["if-none-match"];
  // The other headers are left out: `fresh` would obey `cache-control: no-cache`, which `fetch` adds to conditional requests.
  return condition !== undefined && fresh({ "if-none-match": condition }, { etag });
}

/** Answers 304 with the headers that the response already has. */
export function sendNotModified(response: ServerResponse, etag: string): void {
  response.statusCode = 304;
  response.setHeader("etag", etag);
  response.end();
}

/** Pairs of name and value, from a list in which they alternate. */
export function* headerPairs(headers: readonly string[]): Generator<[name: string, value: string]> {
  for (let at = 0; at < headers.length; at += 2) yield [headers[at] as string, headers[at + 1] as string];
}
