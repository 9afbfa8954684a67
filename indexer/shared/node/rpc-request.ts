import { isAscii } from "node:buffer";
import { type Dispatcher, request } from "undici";
import { linkedController } from "../../../core/async/linked-controller.ts";
import { errorCode } from "../../../core/errors/errors.ts";
import type { Redact } from "../../../core/errors/redaction.ts";
import { hintFor, hintForCode } from "../../../core/networks/http-hints.ts";
import { retryAfterMs } from "../retry-after.ts";
import { RequestFailed } from "./request-failed.ts";
import { type Answer, parseAnswers, type RpcCall, tooLarge, unreadAnswers } from "./rpc-answers.ts";

const MAX_RETRY_AFTER_MS = 60_000;

export interface RequestOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestTimeoutMs: number;
}

/** A node that requests are sent to, and the redaction of its texts. */
export interface RequestTarget extends RequestOptions {
  readonly redact: Redact;
}

/**
 * Sends calls in one HTTP request, and returns the answers in their order. If the answer to a single call is too large to be
 * read, returns an error answer that says so. Throws `RequestFailed`, or `signal`'s reason.
 */
export async function sendRequest(
  dispatcher: Dispatcher,
  options: RequestTarget,
  calls: readonly RpcCall[],
  signal: AbortSignal,
): Promise<Answer[]> {
  using limited = linkedController(signal);
  const { requestTimeoutMs } = options;
  const expire = () => limited.abort(new RequestFailed(`gave no answer within ${requestTimeoutMs} ms`));
  const timer = setTimeout(expire, requestTimeoutMs);
  try {
    return parseAnswers(calls, await post(dispatcher, options, calls, limited.signal), options.redact);
  } catch (error) {
    signal.throwIfAborted();
    if (isTooLong(error)) return unreadAnswers(calls, "is too long");
    throw error instanceof RequestFailed ? error : connectionFailed(error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The new message contains only the code of `error`, because the message of `error` contains addresses. Some system errors have
 * a code and no message.
 */
function connectionFailed(error: unknown): RequestFailed {
  const { message, code } = Object(error) as { readonly message?: unknown; readonly code?: unknown };
  const why = typeof code === "string" ? ` (${code})${hintForCode(code)}` : "";
  return new RequestFailed(`gave no answer${why}`, { detail: String(message || code || error) });
}

async function post(
  dispatcher: Dispatcher,
  { url, headers }: RequestOptions,
  calls: readonly RpcCall[],
  signal: AbortSignal,
): Promise<string> {
  const requests = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
  const response = await request(url, {
    method: "POST",
    dispatcher,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(requests.length === 1 ? requests[0] : requests),
    signal,
  });
  const text = textOf(await response.body.bytes());
  if (response.statusCode === 200) return text;
  const why = `answered HTTP ${response.statusCode}${hintFor(response.statusCode, text)}`;
  if (response.statusCode === 413) throw tooLarge(calls, why);
  if (response.statusCode === 404) throw new RequestFailed(why, { isMissing: true });
  const afterMs = retryAfterMs(response.headers["retry-after"]) ?? 0;
  throw new RequestFailed(why, { retryAfterMs: Math.min(MAX_RETRY_AFTER_MS, Math.max(0, afterMs)) });
}

/** Most answers are ASCII, for which this takes a fraction of the time of decoding UTF-8. */
const textOf = (bytes: Uint8Array): string =>
  isAscii(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
    : new TextDecoder().decode(bytes);

const isTooLong = (error: unknown): boolean => errorCode(error) === "UND_ERR_RES_EXCEEDED_MAX_SIZE";
