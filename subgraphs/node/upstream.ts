import { Failure, messageOf } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { createAnswers } from "./answers.ts";
import { createNodeHttp, tooLong } from "./node-http.ts";

const CONNECTIONS = 16;
/** Questions under way or waiting for a connection; more would only become late. */
const MOST_QUESTIONS = 256;
/** How long a node that was of the right network is taken to be still. */
const RIGHT_MS = 60_000;
/** How long a node that was not, or that gave no answer, is left alone. */
const WRONG_MS = 1_000;

const SERVED_AT: Readonly<Record<string, string>> = { info: "/ext/info", health: "/ext/health" };

/** The node that answers in the end. Its messages say nothing of where it is. */
export interface Upstream extends AsyncDisposable {
  /**
   * Result of a method of `info` or `health`; nothing is kept. Throws `NODE_REFUSED` with the node's own text where it
   * refuses, `UPSTREAM_FAILED` where it gives no answer in time, something else, or is of another network, `UNAVAILABLE`
   * where too much is asked at once.
   */
  call(method: string, params?: object): Promise<unknown>;
}

export interface UpstreamOptions {
  /** What stands before `/ext/info`. */
  readonly nodeUrl: string;
  readonly nodeHeaders: Readonly<Record<string, string>>;
  /** Network that the node must be of. */
  readonly networkId: number;
  readonly requestTimeoutMs: number;
  readonly logger: Logger;
  /** Default: nobody is told. */
  readonly watch?: Watch;
}

/** Runs a request and takes note of what becomes of it. */
export type Watch = <Answer>(request: () => Promise<Answer>) => Promise<Answer>;

/** Opens nothing before the first call. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { nodeUrl, nodeHeaders, networkId, requestTimeoutMs, logger, watch = (run) => run() } = options;
  const http = createNodeHttp({ nodeUrl, nodeHeaders, connections: CONNECTIONS });
  const checks = createAnswers();
  let isSilent = false;
  let questions = 0;

  async function post(method: string, params: object): Promise<unknown> {
    if (questions >= MOST_QUESTIONS)
      throw new Failure("UNAVAILABLE", `the node is being asked ${MOST_QUESTIONS} questions already, try again later`);
    questions += 1;
    try {
      const path = SERVED_AT[method.split(".")[0] ?? ""] ?? "";
      const body = { jsonrpc: "2.0", id: 1, method, params };
      const { status, text } = await watch(() => http.send(path, body, AbortSignal.timeout(requestTimeoutMs)));
      return resultOf(method, status, text);
    } catch (error) {
      throw error instanceof Failure ? error : unanswered(error, requestTimeoutMs);
    } finally {
      questions -= 1;
    }
  }

  async function checkNetwork(): Promise<true> {
    const answer = (await post("info.getNetworkID", {})) as { readonly networkID?: unknown } | null;
    const found = Number(answer?.networkID);
    if (found === networkId) return true;
    if (Number.isSafeInteger(found))
      throw new Failure("UPSTREAM_FAILED", `the node is of network ${found}, and network ${networkId} is configured`);
    throw new Failure("UPSTREAM_FAILED", "the node does not say which network it is of");
  }

  async function postToRight(method: string, params: object): Promise<unknown> {
    await checks.of("network", { freshMs: RIGHT_MS, failedMs: WRONG_MS }, checkNetwork);
    return post(method, params).catch((error: unknown) => {
      // It may come back as another.
      if (isFailed(error)) checks.forget("network");
      throw error;
    });
  }

  /** The operator reads of the first failure only. */
  function takeNote(error: unknown): void {
    const isNews = isFailed(error) && !isSilent;
    isSilent = isFailed(error);
    if (isNews) logger.warn({ networkId }, [error.message, detailOf(error)].filter(Boolean).join(": "));
  }

  return {
    async call(method, params = {}) {
      try {
        const result = await postToRight(method, params);
        isSilent = false;
        return result;
      } catch (error) {
        takeNote(error);
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

const isFailed = (error: unknown): error is Failure => error instanceof Failure && error.code === "UPSTREAM_FAILED";
const detailOf = ({ originalError }: Failure): string => (originalError ? messageOf(originalError) : "");

interface WireAnswer {
  readonly result?: unknown;
  readonly error?: { readonly message?: unknown } | null;
}

function resultOf(method: string, status: number, text: string): unknown {
  // A node's refusals are answers of 200; another status is that of a proxy, or of a node without the interface.
  if (status !== 200) throw new Failure("UPSTREAM_FAILED", `the node answered HTTP ${status} to ${method}`);
  const answer = parsed(method, text);
  if (typeof answer?.error?.message === "string") throw new Failure("NODE_REFUSED", answer.error.message);
  if (typeof answer?.result === "object" && answer.result !== null) return answer.result;
  throw new Failure("UPSTREAM_FAILED", `the node answered ${method} with neither a result nor an error`);
}

function parsed(method: string, text: string): WireAnswer | null {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === "object" ? (answer as WireAnswer | null) : null;
  } catch {
    throw new Failure("UPSTREAM_FAILED", `the node answered ${method} with something that is no JSON`);
  }
}

/** What is long in coming and what is too long; else the code, as messages name addresses. */
function unanswered(error: unknown, requestTimeoutMs: number): Failure {
  const { name, code } = Object(error) as { readonly name?: unknown; readonly code?: unknown };
  const late = name === "TimeoutError" ? `gave no answer within ${requestTimeoutMs} ms` : null;
  const why = late ?? tooLong(error) ?? `gave no answer${typeof code === "string" ? ` (${code})` : ""}`;
  return new Failure("UPSTREAM_FAILED", `the node ${why}`, error);
}
