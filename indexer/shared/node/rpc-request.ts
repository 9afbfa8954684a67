import { type Dispatcher, request } from "undici";
import { RpcError } from "./errors.ts";
import { linkedController } from "./linked-controller.ts";

const LONGEST_RETRY_AFTER_MS = 60_000;
/** JSON-RPC codes by which nodes and their gateways say "not now" or "not so much". */
const BUSY_CODES = new Set([-32005, -32029, 429]);
/** By which geth and its kin answer what of a batch comes after the time or the 25 MB that they have for all of it. */
const CUT_SHORT_CODES = new Set([-32002, -32003]);
/** What a client says in place of an answer that it does not read. */
const UNREAD_CODE = -32000;
/** Characters that what nodes say has at least for each object and list; of less the parser makes many times as many bytes. */
const CHARACTERS_PER_STRUCTURE = 32;
const FREE_STRUCTURES = 1_000;

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a node said to one call. */
export type Answer = RpcError | { readonly result: unknown };

/** A request that brought no answers; the message goes on from "the node", and says nothing of where it is. */
export class RequestFailed extends Error {
  constructor(
    message: string,
    readonly retryAfterMs = 0,
    /** Most calls that the node takes in a request, where that is why. */
    readonly batchLimit: number | null = null,
    /** True when nothing answers at that path. */
    readonly isMissing = false,
    /** What the operator should read beside the message. */
    readonly detail: string | null = null,
  ) {
    super(message);
  }
}

export interface RequestOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestTimeoutMs: number;
}

/**
 * Sends calls in one HTTP request, and returns the answers in their order; a single call whose answer is too large to be
 * read is answered by an error that says so. Throws `RequestFailed`, or `signal`'s reason.
 */
export async function sendRequest(
  dispatcher: Dispatcher,
  options: RequestOptions,
  calls: readonly RpcCall[],
  signal: AbortSignal,
): Promise<Answer[]> {
  using limited = linkedController(signal);
  const late = new RequestFailed(`gave no answer within ${options.requestTimeoutMs} ms`);
  const timer = setTimeout(() => limited.abort(late), options.requestTimeoutMs);
  try {
    const text = await post(dispatcher, options, calls, limited.signal);
    if (isTooDense(text)) return unread(calls, "is made of too many parts");
    return answersOf(calls, parsed(text));
  } catch (error) {
    signal.throwIfAborted();
    if (isTooLong(error)) return unread(calls, "is too long");
    throw error instanceof RequestFailed ? error : unanswered(error);
  } finally {
    clearTimeout(timer);
  }
}

/** The code is for everybody; the message names addresses. Some system errors have no message, only a code. */
function unanswered(error: unknown): RequestFailed {
  const { message, code } = Object(error) as { readonly message?: unknown; readonly code?: unknown };
  const why = typeof code === "string" ? ` (${code})` : "";
  return new RequestFailed(`gave no answer${why}`, 0, null, false, String(message || code || error));
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
  const text = await response.body.text();
  if (response.statusCode === 413) throw tooLarge(calls, "answered HTTP 413");
  if (response.statusCode === 404) throw new RequestFailed("answered HTTP 404", 0, null, true);
  if (response.statusCode !== 200)
    throw new RequestFailed(`answered HTTP ${response.statusCode}`, retryAfterMs(response.headers["retry-after"]));
  return text;
}

const isTooLong = (error: unknown): boolean =>
  (Object(error) as { readonly code?: unknown }).code === "UND_ERR_RES_EXCEEDED_MAX_SIZE";

function isTooDense(text: string): boolean {
  const most = FREE_STRUCTURES + text.length / CHARACTERS_PER_STRUCTURE;
  let count = 0;
  for (const opening of ["{", "["])
    for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1)) if (++count > most) return true;
  return false;
}

function unread(calls: readonly RpcCall[], why: string): Answer[] {
  if (calls.length > 1) throw tooLarge(calls, `gave an answer to ${calls.length} calls that ${why}`);
  return [new RpcError(UNREAD_CODE, `its answer ${why}`)];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestFailed("answered something that is no JSON", 0, null, false, JSON.stringify(text.slice(0, 80)));
  }
}

/** Of seconds or of an HTTP date. */
function retryAfterMs(header: string | string[] | undefined): number {
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(String(header)) - Date.now() : seconds * 1_000;
  return Number.isNaN(ms) ? 0 : Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, ms));
}

function tooLarge(calls: readonly RpcCall[], why: string, detail: string | null = null): RequestFailed {
  return new RequestFailed(why, 0, calls.length > 1 ? calls.length >> 1 : null, false, detail);
}

interface WireAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown } | null;
}

function answersOf(calls: readonly RpcCall[], body: unknown): Answer[] {
  if (calls.length > 1 && !Array.isArray(body)) throw batchRefused(calls, body as WireAnswer | null);
  if (calls.length === 1 && Array.isArray(body)) throw new RequestFailed("answered a batch to a single call");
  const answers = (Array.isArray(body) ? body : [body]) as (WireAnswer | null)[];
  const byId = new Map(answers.map((answer) => [answer?.id, answer]));
  // What a node could not read well enough to find the id is answered without one.
  const withoutId = calls.length === 1 && answers[0]?.error ? answers[0] : null;
  return calls.map((call, id) => answerOf(call, byId.get(id) ?? withoutId, calls));
}

/** Whether an error in a batch is because of the others. What a contract says when it reverts is not. */
function isOfBatch({ code, message }: RpcError): boolean {
  return CUT_SHORT_CODES.has(code) || (/batch/i.test(message) && !/revert/i.test(message));
}

/** One answer to a batch: the whole of it is refused, for now or for its size. */
function batchRefused(calls: readonly RpcCall[], body: WireAnswer | null): RequestFailed {
  if (!body?.error) return new RequestFailed("answered something else to a batch");
  const [why, detail] = [`refuses a batch of ${calls.length}`, String(body.error.message)];
  return BUSY_CODES.has(Number(body.error.code))
    ? new RequestFailed(why, 0, null, false, detail)
    : tooLarge(calls, why, detail);
}

function answerOf(call: RpcCall, answer: WireAnswer | null | undefined, calls: readonly RpcCall[]): Answer {
  if (answer?.error) {
    const error = new RpcError(Number(answer.error.code), String(answer.error.message), answer.error.data);
    if (BUSY_CODES.has(error.code)) throw new RequestFailed("is busy", 0, null, false, error.message);
    if (calls.length > 1 && isOfBatch(error))
      throw tooLarge(calls, `refuses a batch of ${calls.length}`, error.message);
    return error;
  }
  if (answer && Object.hasOwn(answer, "result")) return { result: answer.result };
  const why = `gave no answer to ${call.method}`;
  throw calls.length > 1 ? tooLarge(calls, why) : new RequestFailed(why);
}
