import { toUSVString } from "node:util";
import { type Content, readDataUri } from "./data-uri.ts";
import { Missed } from "./statuses.ts";

/** Where a token's metadata is: in the URI itself, or elsewhere. */
export type Place =
  | { readonly content: Content }
  | {
      readonly url: URL;
      /** Made by us from an ipfs: URI: its host is the operator's choice, not the token's. */
      readonly isGateway: boolean;
    };

/** Servers take no longer ones. */
const MAX_URL_CHARACTERS = 8_192;

const SCHEMES = new Map<string, (rest: string, ipfsGateway: string) => Place>([
  ["data", (rest) => ({ content: readDataUri(rest) })],
  ["https", (rest) => ({ url: httpsUrl(rest), isGateway: false })],
  ["ipfs", (rest, ipfsGateway) => ({ url: ipfsUrl(rest, ipfsGateway), isGateway: true })],
]);

/** Where the URI leads. Throws `Missed` with `INVALID_TOKEN_URI` or `INVALID_TOKEN_URI_SCHEME`. */
export function parseTokenUri(uri: string, ipfsGateway: string): Place {
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(uri) ?? [];
  if (scheme === "") throw new Missed("INVALID_TOKEN_URI", "no URI");
  const placeOf = SCHEMES.get(scheme.toLowerCase());
  if (!placeOf) throw new Missed("INVALID_TOKEN_URI_SCHEME", `the scheme ${scheme.slice(0, 20)}: is not read`);
  return placeOf(rest, ipfsGateway);
}

const ID = /\{id\}|%7Bid%7D/gi;

const ID_DIGITS = 64;

/** ERC-1155: every `{id}` is the token's id, as 64 hex digits. Throws `Missed` where that makes it longer than `mostCharacters`. */
export function withId(text: string, tokenId: string, mostCharacters = Number.POSITIVE_INFINITY): string {
  let length = text.length;
  for (const [place] of text.matchAll(ID)) {
    length += ID_DIGITS - place.length;
    if (length > mostCharacters) throw new Missed("METADATA_CONTENT_TOO_LARGE", "the URI is too long with its id");
  }
  return text.replace(ID, BigInt(tokenId).toString(16).padStart(ID_DIGITS, "0"));
}

function httpsUrl(rest: string): URL {
  const text = `https:${rest}`;
  const isUrl = rest.startsWith("//") && text.length <= MAX_URL_CHARACTERS && URL.canParse(text);
  if (!isUrl) throw new Missed("INVALID_TOKEN_URI", "no https: URL");
  return new URL(text);
}

/** Identifiers as Qm… and in the common bases: letters and digits, so that nothing of a path or a host gets in. */
const CID =
  /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{20,}|B[A-Z2-7]{20,}|z[1-9A-HJ-NP-Za-km-z]{20,}|[fF][0-9a-fA-F]{20,}|k[0-9a-z]{20,})$/;

/** `ipfs://CID/path`, also with `ipfs/` before the CID. Query and fragment mean nothing there. */
function ipfsUrl(rest: string, gateway: string): URL {
  const [path = ""] = rest.replace(/^\/*(ipfs\/+)?/i, "").split(/[?#]/);
  const [cid = "", ...segments] = path.split("/");
  if (!CID.test(cid) || path.length > MAX_URL_CHARACTERS) throw new Missed("INVALID_TOKEN_URI", "no CID");
  const encoded = segments.map(encodedSegment);
  return new URL(`${gateway.replace(/\/+$/, "")}/ipfs/${[cid, ...encoded].join("/")}`);
}

/** A segment that leads nowhere else: what goes up is refused in every spelling, as URLs would resolve it. */
function encodedSegment(segment: string): string {
  const text = percentDecodedText(segment);
  if (/^\.\.?$|[/\\]/.test(text)) throw new Missed("INVALID_TOKEN_URI", "a path that leaves its CID");
  return encodeURIComponent(toUSVString(text));
}

function percentDecodedText(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
