import { Missed } from "./statuses.ts";

/** What was found under a URI. */
export interface Content {
  readonly bytes: Uint8Array;
  /** As declared; null: none. */
  readonly charset: string | null;
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * Content of a data: URI (what follows the colon), as contracts write them: percent-encoded or not at all, any `#` a part
 * of it, base64 of either alphabet. Throws `Missed` when there is no comma, or the base64 is none.
 */
export function readDataUri(rest: string): Content {
  const comma = rest.indexOf(",");
  if (comma < 0) throw new Missed("INVALID_TOKEN_URI", "a data: URI without a comma");
  const head = rest.slice(0, comma);
  const bytes = percentDecoded(rest.slice(comma + 1));
  return { bytes: /;\s*base64\s*$/i.test(head) ? base64Decoded(bytes) : bytes, charset: charsetOf(head) };
}

/** Charset of a media type with parameters. */
export function charsetOf(mediaType: string): string | null {
  return /;\s*charset\s*=\s*"?([^;"\s]+)/i.exec(mediaType)?.[1] ?? null;
}

function base64Decoded(bytes: Buffer): Buffer {
  const text = bytes.toString("latin1").replace(/\s+/g, "");
  if (!BASE64.test(text)) throw new Missed("INVALID_TOKEN_URI", "a data: URI whose base64 is none");
  return Buffer.from(text, "base64");
}

/** A `%` without two hex digits stands for itself. */
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

/** The content as text: of the charset that it declares where that is known, else UTF-8. What is neither becomes U+FFFD. */
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
