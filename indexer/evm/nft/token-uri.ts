import { toUSVString } from "node:util";
import { type Content, readDataUri } from "./data-uri.ts";
import { MetadataUnavailable } from "./statuses.ts";

/** A parsed token URI: the metadata itself, or where to fetch it. */
export type ParsedTokenUri =
  | { readonly content: Content }
  | {
      readonly url: URL;
      /** True for an ipfs: URI: the host is the operator's gateway, not the token's choice. */
      readonly isGateway: boolean;
    };

/** Servers commonly accept URLs of this length. */
const MAX_URL_CHARACTERS = 8_192;

const SCHEMES = new Map<string, (rest: string, ipfsGateway: string) => ParsedTokenUri>([
  ["data", (rest) => ({ content: readDataUri(rest) })],
  ["https", (rest) => ({ url: httpsUrl(rest), isGateway: false })],
  ["ipfs", (rest, ipfsGateway) => ({ url: ipfsUrl(rest, ipfsGateway), isGateway: true })],
]);

/** Parses a token's URI. Throws `MetadataUnavailable` with `INVALID_TOKEN_URI` or `INVALID_TOKEN_URI_SCHEME`. */
export function parseTokenUri(uri: string, ipfsGateway: string): ParsedTokenUri {
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(uri) ?? [];
  if (scheme === "") throw new MetadataUnavailable("INVALID_TOKEN_URI", "not a URI");
  const parse = SCHEMES.get(scheme.toLowerCase());
  if (!parse)
    throw new MetadataUnavailable("INVALID_TOKEN_URI_SCHEME", `the scheme ${scheme.slice(0, 20)}: is not supported`);
  return parse(rest, ipfsGateway);
}

const ID = /\{id\}|%7Bid%7D/gi;

const ID_DIGITS = 64;

/** Replaces each `{id}` by the token's id as 64 hex digits (ERC-1155). Throws `MetadataUnavailable` if the result is too long. */
export function fillId(text: string, tokenId: string, maxCharacters = Number.POSITIVE_INFINITY): string {
  let length = text.length;
  for (const [place] of text.matchAll(ID)) {
    length += ID_DIGITS - place.length;
    if (length > maxCharacters)
      throw new MetadataUnavailable("METADATA_CONTENT_TOO_LARGE", "the URI is too long with its id filled in");
  }
  return text.replace(ID, BigInt(tokenId).toString(16).padStart(ID_DIGITS, "0"));
}

function httpsUrl(rest: string): URL {
  const text = `https:${rest}`;
  const isUrl = rest.startsWith("//") && text.length <= MAX_URL_CHARACTERS && URL.canParse(text);
  if (!isUrl) throw new MetadataUnavailable("INVALID_TOKEN_URI", "not a valid https: URL");
  return new URL(text);
}

/** CIDs of version 0, and of version 1 in the common bases. Only letters and digits, so no path or host can get in. */
const CID =
  /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{20,}|B[A-Z2-7]{20,}|z[1-9A-HJ-NP-Za-km-z]{20,}|[fF][0-9a-fA-F]{20,}|k[0-9a-z]{20,})$/;

/** `ipfs://CID/path`, also with `ipfs/` before the CID. Query and fragment are ignored. */
function ipfsUrl(rest: string, gateway: string): URL {
  const [path = ""] = rest.replace(/^\/*(ipfs\/+)?/i, "").split(/[?#]/);
  const [cid = "", ...segments] = path.split("/");
  if (!CID.test(cid) || path.length > MAX_URL_CHARACTERS)
    throw new MetadataUnavailable("INVALID_TOKEN_URI", "no valid CID");
  const encoded = segments.map(encodedSegment);
  return new URL(`${gateway.replace(/\/+$/, "")}/ipfs/${[cid, ...encoded].join("/")}`);
}

/** Encodes a path segment. Refuses `.`, `..` and slashes in every spelling: they could lead to a path outside the CID. */
function encodedSegment(segment: string): string {
  const text = percentDecodedText(segment);
  if (/^\.\.?$|[/\\]/.test(text)) throw new MetadataUnavailable("INVALID_TOKEN_URI", "the path leads out of the CID");
  return encodeURIComponent(toUSVString(text));
}

function percentDecodedText(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
