import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { request as send } from "undici";
import { errorCode, Failure, messageOf } from "../../core/errors/errors.ts";
import { untilEarlierSent } from "../../core/http/earlier-responses.ts";
import type { Logger } from "../../core/observability/logger.ts";

/** A request with this header was passed on already, and is not passed on again. */
const PASSED_ON = "x-moraine-passed-on";

/** Headers of a request on which the answer depends. */
const ASKED = ["range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];

/** Headers of the answer that describe the file. */
const DESCRIBED = [
  "accept-ranges",
  "cache-control",
  "content-disposition",
  "content-length",
  "content-range",
  "content-type",
  "etag",
  "last-modified",
  "retry-after",
];

/** A process that has no file answers with this status. */
const NOT_THERE = 404;

/** How long another process may take to begin its answer. */
const HEADERS_TIMEOUT_MS = 10_000;

/** A download that another process may answer. */
interface PassedOn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query of the file. */
  readonly path: string;
}

/**
 * Answers a download by the first of these processes that has the file. Returns false if none has it; then nothing is sent. Throws
 * `UNAVAILABLE` if one that could have it does not answer.
 */
export async function passOn(
  passedOn: PassedOn,
  { urls, logger }: { readonly urls: readonly string[]; readonly logger: Logger },
): Promise<boolean> {
  const { request, response } = passedOn;
  if (request.headers[PASSED_ON] !== undefined) return false;
  let failed: unknown = null;
  for (const url of urls)
    try {
      if (await passOnTo(url, passedOn)) return true;
    } catch (error) {
      if (response.headersSent || response.destroyed) throw error;
      const { host } = new URL(url);
      logger.warn(`the process at ${host} was asked for an exported file and does not answer: ${messageOf(error)}`);
      failed = error;
    }
  if (failed)
    throw new Failure("UNAVAILABLE", "a process that may have the file does not answer, try again later", failed);
  return false;
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = { [PASSED_ON]: "1" };
  for (const name of ASKED) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  return headers;
}

/** Returns false if the process at the URL has no such file. */
async function passOnTo(url: string, { request, response, path }: PassedOn): Promise<boolean> {
  const method = request.method === "HEAD" ? "HEAD" : "GET";
  const answer = await send(url.replace(/\/+$/, "") + path, {
    method,
    headers: headersOf(request),
    headersTimeout: HEADERS_TIMEOUT_MS,
  });
  if (answer.statusCode === NOT_THERE || answer.statusCode >= 500) {
    await answer.body.dump();
    if (answer.statusCode === NOT_THERE) return false;
    throw new Error(`HTTP ${answer.statusCode}`);
  }
  if (!(await untilEarlierSent(response))) {
    await answer.body.dump();
    return true;
  }
  for (const name of DESCRIBED) {
    const value = answer.headers[name];
    if (value !== undefined) response.setHeader(name, value);
  }
  response.writeHead(answer.statusCode);
  await pipeline(answer.body, response).catch((error: unknown) => {
    // The caller has left.
    if (errorCode(error) !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  });
  return true;
}
