import { linkedController } from "../../core/async/linked-controller.ts";
import { messageOf } from "../../core/errors/errors.ts";

/** Where the supergraph comes from. */
export interface SupergraphSource {
  /** Reads the supergraph SDL. Null if it is the one that was returned last. Rejects if it cannot be read or composed. */
  load(signal: AbortSignal): Promise<string | null>;
  /** How long the source wants to be left alone after it was read, in milliseconds. */
  readonly minPauseMs?: number;
  /** True if it makes no sense to wait at a start until the source can be read. */
  readonly isLocal?: boolean;
}

/** Null if a text is the one that was returned last. */
export function createChanges(): (text: string) => string | null {
  let last: string | null = null;
  return (text) => {
    if (text === last) return null;
    last = text;
    return text;
  };
}

/** How long an answer of a source may take. */
const ANSWER_MS = 30_000;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a request. Rejects with the cause if there is no whole answer in time. `where` names the server without secrets. */
export async function request(where: string, url: string, init: RequestInit, signal: AbortSignal): Promise<Answer> {
  using limit = linkedController(signal);
  const timer = setTimeout(() => limit.abort(new Error("it does not answer in time")), ANSWER_MS);
  try {
    const response = await fetch(url, { ...init, signal: limit.signal });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    // The message about a URL with a password has the URL.
    const reason = messageOf(cause instanceof AggregateError ? cause.errors[0] : cause).replaceAll(url, "the URL");
    throw new Error(`${where} cannot be reached: ${reason}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Sends a GraphQL query. Returns the status, and the JSON of the answer; null for any other answer. */
export async function requestQuery(
  where: string,
  url: string,
  query: { readonly query: string; readonly variables?: object },
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly answer: unknown }> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  const { status, text } = await request(where, url, { method: "POST", headers, body: JSON.stringify(query) }, signal);
  return { status, answer: parsedOrNull(text) };
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
