import type { Redact } from "../../../core/errors/redaction.ts";
import { isContractError } from "../../../core/networks/contract-errors.ts";
import { RpcError } from "./errors.ts";
import { RequestFailed } from "./request-failed.ts";

/** JSON-RPC codes that nodes and gateways use for a rate limit. */
const BUSY_CODES = new Set([-32005, -32029, 429]);
/** Codes of geth and its forks for the calls of a batch that are not answered because the batch took too long or exceeds 25 MB. */
const BATCH_LIMIT_CODES = new Set([-32002, -32003]);
/** Code of the error that replaces an answer that is not read. */
const UNREAD_CODE = -32000;
/** Minimum number of characters per object or list in an answer. Parsing a denser answer takes too much memory. */
const MIN_CHARACTERS_PER_STRUCTURE = 32;
/** Number of objects and lists that are always allowed. */
const FREE_STRUCTURES = 1_000;

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A node's answer to one call. */
export type Answer = RpcError | { readonly result: unknown };

interface WireAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown } | null;
}

/**
 * Reads the answers to the calls from a response body, in the order of the calls. Error messages of the node are redacted. Throws
 * `RequestFailed`.
 */
export function parseAnswers(calls: readonly RpcCall[], text: string, redact: Redact): Answer[] {
  if (isTooDense(text)) return unreadAnswers(calls, "has too many objects and lists");
  const body = parseJson(text);
  if (calls.length > 1 && !Array.isArray(body)) throw batchRefused(calls, body as WireAnswer | null);
  if (calls.length === 1 && Array.isArray(body)) throw new RequestFailed("answered a batch to a single call");
  const answers = (Array.isArray(body) ? body : [body]) as (WireAnswer | null)[];
  const byId = new Map(answers.map((answer) => [answer?.id, answer]));
  // A node that cannot parse a call answers with an error that does not have the call's id.
  const withoutId = calls.length === 1 && answers[0]?.error ? answers[0] : null;
  return calls.map((call, id) => parseAnswer(call, byId.get(id) ?? withoutId, { calls, redact }));
}

/** The error that replaces the answer to a single call if it is not read. Throws `RequestFailed` for a batch, to split it. */
export function unreadAnswers(calls: readonly RpcCall[], why: string): Answer[] {
  if (calls.length > 1) throw tooLarge(calls, `answered ${calls.length} calls with an answer that ${why}`);
  return [new UnreadAnswer(UNREAD_CODE, `its answer ${why}`)];
}

/** The error that replaces an answer that is not read. Its message is Moraine's. */
class UnreadAnswer extends RpcError {}

export const isUnread = (error: unknown): boolean => error instanceof UnreadAnswer;

/** Error for a request that is too large. A batch is then split. */
export function tooLarge(calls: readonly RpcCall[], why: string, detail: string | null = null): RequestFailed {
  return new RequestFailed(why, { batchLimit: calls.length > 1 ? calls.length >> 1 : null, detail });
}

function isTooDense(text: string): boolean {
  const most = FREE_STRUCTURES + text.length / MIN_CHARACTERS_PER_STRUCTURE;
  let count = 0;
  for (const opening of ["{", "["])
    for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1)) if (++count > most) return true;
  return false;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestFailed("gave an answer that is not JSON", { detail: JSON.stringify(text.slice(0, 80)) });
  }
}

/**
 * True if an error within a batch is caused by the batch. The text of a contract's error may say anything, and some nodes use the
 * same codes for it.
 */
function isBatchError(error: RpcError): boolean {
  return !isContractError(error) && (BATCH_LIMIT_CODES.has(error.code) || /batch/i.test(error.message));
}

/** The failure for a single answer to a batch: the node refuses the batch because of its size, or temporarily. */
function batchRefused(calls: readonly RpcCall[], body: WireAnswer | null): RequestFailed {
  if (!body?.error) return new RequestFailed("answered a batch with something that is not a list");
  const why = `refuses a batch of ${calls.length}`;
  const detail = String(body.error.message);
  return BUSY_CODES.has(Number(body.error.code)) ? new RequestFailed(why, { detail }) : tooLarge(calls, why, detail);
}

function parseAnswer(
  call: RpcCall,
  answer: WireAnswer | null | undefined,
  { calls, redact }: { readonly calls: readonly RpcCall[]; readonly redact: Redact },
): Answer {
  if (answer?.error) {
    const message = redact(String(answer.error.message ?? "no message"));
    const error = new RpcError(Number(answer.error.code), message, answer.error.data);
    if (BUSY_CODES.has(error.code)) throw new RequestFailed("is busy", { detail: error.message });
    if (calls.length > 1 && isBatchError(error))
      throw tooLarge(calls, `refuses a batch of ${calls.length}`, error.message);
    return error;
  }
  if (answer && Object.hasOwn(answer, "result")) return { result: answer.result };
  const why = `gave no answer to ${call.method}`;
  throw calls.length > 1 ? tooLarge(calls, why) : new RequestFailed(why);
}
