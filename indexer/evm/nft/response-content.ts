import { PassThrough, type Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Dispatcher } from "undici";
import { type Content, charsetOf } from "./data-uri.ts";
import { MetadataUnavailable } from "./statuses.ts";

const DECODERS = new Map<string, () => Transform>([
  ["identity", () => new PassThrough()],
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** Reads and decompresses a response of at most `maxBytes`, both on the wire and decompressed. Throws `MetadataUnavailable`. */
export async function readContent(
  response: Dispatcher.ResponseData,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Content> {
  const { body, headers } = response;
  const charset = charsetOf(String(headers["content-type"] ?? ""));
  const encoding = String(headers["content-encoding"] || "identity");
  const decoder = DECODERS.get(encoding.trim().toLowerCase());
  if (Number(headers["content-length"]) > maxBytes || !decoder) {
    discard(body);
    throw decoder ? tooLarge(maxBytes) : new MetadataUnavailable("UNREACHABLE_TOKEN_URI", "unknown content-encoding");
  }
  const chunks: Uint8Array[] = [];
  const collect = async (source: AsyncIterable<Uint8Array>) => {
    for await (const chunk of source) chunks.push(chunk);
  };
  // Limited before and after: a few bytes may decompress to many, and many bytes to none.
  await pipeline(body, limitBytes(maxBytes), decoder(), limitBytes(maxBytes), collect, { signal });
  return { bytes: Buffer.concat(chunks), charset };
}

/** Closes the connection, because the body may never end. */
export function discard(body: Readable): void {
  body.on("error", () => {}).destroy();
}

function limitBytes(maxBytes: number) {
  return async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  };
}

const tooLarge = (maxBytes: number): MetadataUnavailable =>
  new MetadataUnavailable("METADATA_CONTENT_TOO_LARGE", `the content has more than ${maxBytes} bytes`);
