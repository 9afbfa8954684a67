import type { IncomingHttpHeaders } from "node:http";

/** The entity tags of a list, and whether each is weak. */
const TAG = /(W\/)?("[^"]*")/g;

/**
 * Decides `If-Match` and `If-Range` with entity tags, and removes what is decided from the headers: both need a strong
 * comparison (RFC 9110, 13.1.1 and 13.1.5), and `send` lets weak tags match. Returns false if the answer is 412.
 */
export function decideConditions(headers: IncomingHttpHeaders, etag: string): boolean {
  const ifRange = headers["if-range"];
  if (typeof ifRange === "string" && ifRange.includes('"')) {
    delete headers["if-range"];
    // Without its range, the request is for the whole file.
    if (ifRange.trim() !== etag) delete headers.range;
  }
  const ifMatch = headers["if-match"];
  if (!ifMatch) return true;
  delete headers["if-match"];
  delete headers["if-unmodified-since"]; // It is ignored beside If-Match.
  if (ifMatch.trim() === "*") return true;
  return Array.from(ifMatch.matchAll(TAG)).some(([, weak, tag]) => weak === undefined && tag === etag);
}
