import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip, gzipSync } from "node:zlib";
import Negotiator from "negotiator";
import { cached } from "../caches/cached.ts";

/** Shorter texts are sent as they are. In UTF-16 code units. */
export const MIN_COMPRESSED_LENGTH = 1_024;
/**
 * Texts up to this length are compressed on the event loop, in at most about 0.2 ms: handing them to another thread costs more
 * processor time than compressing them.
 */
const MAX_SYNC_LENGTH = 32_768;

/** Higher levels need up to three times as long and save about 5 % of the bytes. */
const GZIP = { level: 1 };
/** The smaller window limits the memory of one compression. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } };

const gzipLater = promisify(gzip);
const brotliLater = promisify(brotliCompress);

export type Encoding = "gzip" | "br";

export interface CompressedBody {
  readonly encoding: Encoding;
  readonly body: Buffer;
}

/**
 * Compresses a text for the caller of a request: with Brotli if the text is long, else with gzip. If the caller accepts only one of
 * them, uses that one. Returns null if the text is short or the caller accepts neither. `bytes` are those of the text, if they are known.
 */
export function compressFor(
  request: IncomingMessage,
  text: string | Buffer,
  bytes: string | Buffer = text,
): CompressedBody | Promise<CompressedBody> | null {
  if (text.length < MIN_COMPRESSED_LENGTH) return null;
  const accepted = acceptedEncodings(request);
  const isLong = text.length > MAX_SYNC_LENGTH;
  if (accepted.br && (isLong || !accepted.gzip)) return compressWithBrotli(bytes);
  if (!accepted.gzip) return null;
  return isLong ? compressWithGzip(bytes) : { encoding: "gzip", body: gzipSync(bytes, GZIP) };
}

async function compressWithBrotli(text: string | Buffer): Promise<CompressedBody> {
  return { encoding: "br", body: await brotliLater(text, BROTLI) };
}

async function compressWithGzip(text: string | Buffer): Promise<CompressedBody> {
  return { encoding: "gzip", body: await gzipLater(text, GZIP) };
}

export type AcceptedEncodings = Readonly<Record<Encoding, boolean>>;

const NONE: AcceptedEncodings = { gzip: false, br: false };
/** Clients send few different values of the header. */
const MAX_KNOWN_HEADERS = 100;
const encodingsIn = cached((header): AcceptedEncodings => {
  const names = new Negotiator({ headers: { "accept-encoding": header } }).encodings(["gzip", "br"]);
  return { gzip: names.includes("gzip"), br: names.includes("br") };
}, MAX_KNOWN_HEADERS);

/** The encodings that the caller accepts by its `Accept-Encoding` header. */
export function acceptedEncodings({ headers }: IncomingMessage): AcceptedEncodings {
  const header = headers["accept-encoding"];
  return header ? encodingsIn(String(header)) : NONE;
}
