import { parseJson } from "../../../core/formats/json.ts";
import { MetadataUnavailable } from "./statuses.ts";

/** The content of a URI. */
export interface Content {
  readonly bytes: Uint8Array;
  /** The declared character set; null if none is declared. */
  readonly charset: string | null;
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * Reads a data: URI (the part after the colon) as leniently as contracts write them: JSON as it stands, percent-encoded or not,
 * `#` as content, base64 of either alphabet. Throws `MetadataUnavailable` if there is no comma or the base64 is invalid.
 */
export function readDataUri(rest: string): Content {
  const comma = rest.indexOf(",");
  if (comma < 0) throw new MetadataUnavailable("INVALID_TOKEN_URI", "a data: URI without a comma");
  const head = rest.slice(0, comma);
  const text = rest.slice(comma + 1);
  const isBase64 = /;\s*base64\s*$/i.test(head);
  // Contracts put JSON into the URI without encoding it: a percent sign in it belongs to a text, such as `50%25` or `%20`.
  if (!isBase64 && parseJson(text) !== undefined) return { bytes: Buffer.from(text), charset: null };
  const bytes = percentDecoded(text);
  return { bytes: isBase64 ? base64Decoded(bytes) : bytes, charset: charsetOf(head) };
}

/** The charset parameter of a media type; null if it has none. */
export function charsetOf(mediaType: string): string | null {
  return /;\s*charset\s*=\s*"?([^;"\s]+)/i.exec(mediaType)?.[1] ?? null;
}

function base64Decoded(bytes: Buffer): Buffer {
  const text = bytes.toString("latin1").replace(/\s+/g, "");
  if (!BASE64.test(text)) throw new MetadataUnavailable("INVALID_TOKEN_URI", "a data: URI with invalid base64");
  return Buffer.from(text, "base64");
}

/** Keeps a `%` if no two hex digits follow it. */
function percentDecoded(text: string): Buffer {
  const bytes = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++, length++) {
    const digits = bytes[at] === 0x25 ? bytes.toString("latin1", at + 1, at + 3) : "";
    const isEncoded = /^[0-9a-f]{2}$/i.test(digits);
    bytes[length] = isEncoded ? Number.parseInt(digits, 16) : (bytes[at] as number);
    if (isEncoded) at += 2;
  }
  return bytes.subarray(0, length);
}

/** The content as text, in its declared charset if that is known, else UTF-8. Invalid bytes become U+FFFD. */
export function textOf({ bytes, charset }: Content): string {
  return decoderOf(charset ?? "utf-8").decode(bytes);
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
