import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { acceptedEncodings } from "./compression.ts";
import { entityTag, isCurrent, sendNotModified } from "./headers.ts";

const compressWithGzip = promisify(gzip);
const compressWithBrotli = promisify(brotliCompress);

const BROTLI_QUALITY = 5;

/** The content of a document that never changes while the process runs. */
export interface DocumentContent {
  /** The text, or its bytes in UTF-8. */
  readonly text: string | Uint8Array;
  readonly contentType: string;
  /** Headers of this document alone. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface DocumentOptions {
  /** Called once, for the first request. */
  load(): DocumentContent | Promise<DocumentContent>;
  /** How long caches may use the document without asking for it again. */
  readonly maxAgeSeconds: number;
  /** Request headers, besides `accept-encoding`, that decide whether a URL is answered with the document. */
  readonly vary?: string;
}

/** A document that is compressed once. All responses send the same buffers, so a client that does not read costs no memory. */
export interface HttpDocument {
  /** Answers a GET or HEAD request; with 304 if the caller has the document. Rejects if the document cannot be loaded. */
  send(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

interface Representations extends Omit<DocumentContent, "text"> {
  readonly etag: string;
  readonly identity: Buffer;
  readonly gzip: Buffer;
  readonly br: Buffer;
}

export function createDocument({ load, maxAgeSeconds, vary }: DocumentOptions): HttpDocument {
  let loaded: Promise<Representations> | undefined;
  const cacheControl = `public, max-age=${maxAgeSeconds}`;
  const varyHeader = vary ? `${vary}, accept-encoding` : "accept-encoding";
  return {
    async send(request, response) {
      loaded ??= represent(load).catch((error: unknown) => {
        // The next request tries again.
        loaded = undefined;
        throw error;
      });
      const document = await loaded;
      if (response.destroyed) return;
      response.appendHeader("vary", varyHeader);
      response.setHeader("cache-control", cacheControl);
      if (isCurrent(request, document.etag)) sendNotModified(response, document.etag);
      else sendRepresentation(request, response, document);
    },
  };
}

function sendRepresentation(request: IncomingMessage, response: ServerResponse, document: Representations): void {
  const accepted = acceptedEncodings(request);
  const encoding = accepted.br ? "br" : accepted.gzip ? "gzip" : "identity";
  const body = document[encoding];
  for (const [name, value] of Object.entries(document.headers ?? {})) response.setHeader(name, value);
  if (encoding !== "identity") response.setHeader("content-encoding", encoding);
  response.setHeader("etag", document.etag);
  response.setHeader("content-type", document.contentType);
  response.setHeader("content-length", body.length);
  response.end(body);
}

/** Encodes a document. The page of GraphiQL has 9 MB, so other requests are answered between the steps. */
async function represent(load: DocumentOptions["load"]): Promise<Representations> {
  const { text, ...rest } = await load();
  await yieldToEventLoop();
  const identity =
    typeof text === "string" ? Buffer.from(text) : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const [gzipped, br] = await Promise.all([
    compressWithGzip(identity),
    compressWithBrotli(identity, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
      },
    }),
  ]);
  return { ...rest, etag: entityTag(br), identity, gzip: gzipped, br };
}
