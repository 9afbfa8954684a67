import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { Failure, type FailureCode, graphQLErrorBody } from "../../core/errors/errors.ts";
import { checkValues, discardBody, readBody } from "../../core/http/body.ts";
import { setHeaders } from "../../core/http/headers.ts";
import type { LimitHeadersOf } from "../../core/limits/access/limit-headers.ts";
import { Overloaded } from "../../core/limits/admission/overloaded.ts";
import { countRejection } from "../../core/observability/rejections.ts";
import { acceptedBy } from "./media-types.ts";
import { EXPOSED_LIST } from "./send-answer.ts";

export const NOT_ACCEPTABLE =
  "Accept must allow application/graphql-response+json or application/json; for subscriptions text/event-stream, or multipart/mixed with subscriptionSpec=1.0";

const UNSUPPORTED_TYPE =
  "the content type must be application/json, or application/graphql for a document without variables";

const DECODERS = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) } as const;
type Encoding = keyof typeof DECODERS;

const UNSUPPORTED_ENCODING = `the content encoding must be one of ${Object.keys(DECODERS).join(", ")}`;

interface Refusal {
  readonly status: number;
  readonly message: string;
  /** Default: `INVALID_PARAMETER`. */
  readonly code?: FailureCode;
}

export interface BodyRules {
  readonly bodyLimitBytes: number;
  readonly limitHeadersOf: LimitHeadersOf;
}

/**
 * Answers a request that cannot be read, because of the type or size of its body or because it accepts no type of answer, and returns true.
 * Returns false for every other request.
 */
export function refuseEarly(request: IncomingMessage, response: ServerResponse, rules: BodyRules): boolean {
  const refusal = refusalOf(request, rules.bodyLimitBytes);
  if (!refusal) return false;
  setHeaders(response, rules.limitHeadersOf(request));
  countRejection("body");
  sendRefusal(response, refusal).end();
  return true;
}

/** Reads the body of a request for GraphQL. Returns null if the request is refused because of its body, or if the client has left. */
export async function readOperation(
  request: IncomingMessage,
  response: ServerResponse,
  { bodyLimitBytes, limitHeadersOf }: BodyRules,
): Promise<Buffer | null> {
  try {
    return await decoded(request, await readBody(request, bodyLimitBytes), bodyLimitBytes);
  } catch (error) {
    if (!(error instanceof Failure) || response.destroyed) return null;
    setHeaders(response, limitHeadersOf(request));
    const { message, code } = error;
    if (error instanceof Overloaded) response.setHeader("retry-after", String(error.retryAfterSeconds));
    const status = error instanceof DamagedBody ? 400 : code === "UNAVAILABLE" ? 503 : 413;
    sendRefusal(response, { status, message, code });
    discardBody(request, () => response.end());
    return null;
  }
}

/** The limit holds for the body before and after it is decompressed. */
async function decoded(request: IncomingMessage, body: Buffer, maxOutputLength: number): Promise<Buffer> {
  const encoding = encodingOf(request);
  if (encoding === null) return body;
  try {
    const plain = await DECODERS[encoding](body, { maxOutputLength });
    checkValues(plain);
    return plain;
  } catch (error) {
    if (error instanceof Failure) throw error;
    const isTooLarge = Object(error).code === "ERR_BUFFER_TOO_LARGE";
    if (isTooLarge) throw new Failure("INVALID_PARAMETER", `the body must be of at most ${maxOutputLength} bytes`);
    throw new DamagedBody("INVALID_PARAMETER", `the body cannot be decompressed as ${encoding}`);
  }
}

/** A body that cannot be decompressed. */
class DamagedBody extends Failure {}

/** Null if the body is not compressed. */
function encodingOf({ headers }: IncomingMessage): Encoding | null {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() || "identity";
  return encoding === "identity" ? null : (encoding as Encoding); // others are refused early
}

function refusalOf(request: IncomingMessage, bodyLimitBytes: number): Refusal | null {
  const { method, headers } = request;
  if (!acceptedBy(headers.accept).result) return { status: 406, message: NOT_ACCEPTABLE };
  if (method === "POST" && !isPreflighted(headers["content-type"])) return { status: 415, message: UNSUPPORTED_TYPE };
  const encoding = encodingOf(request);
  if (encoding !== null && !Object.hasOwn(DECODERS, encoding)) return { status: 415, message: UNSUPPORTED_ENCODING };
  return Number(headers["content-length"] ?? 0) > bodyLimitBytes
    ? { status: 413, message: `the body must be of at most ${bodyLimitBytes} bytes` }
    : null;
}

/**
 * True for a media type that a web page of another origin can send only after a preflight. A page of any origin can send forms without a
 * preflight, and so would start a mutation that the user did not request.
 */
function isPreflighted(contentType = ""): boolean {
  return /^\s*application\/(json|graphql|graphql\+json)\s*(;|$)/i.test(contentType);
}

/** True if the body is a document, and not JSON. */
export function isGraphqlDocument(contentType = ""): boolean {
  return /^\s*application\/graphql\s*(;|$)/i.test(contentType);
}

/** Sends a refusal, but does not end the response. */
function sendRefusal(
  response: ServerResponse,
  { status, message, code = "INVALID_PARAMETER" }: Refusal,
): ServerResponse {
  const text = graphQLErrorBody(code, message);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": EXPOSED_LIST,
    connection: "close",
  });
  response.write(text);
  return response;
}
