import { setTimeout as sleep } from "node:timers/promises";
import { type ExecutionResult, getOperationAST, OperationTypeNode, parse } from "graphql";
import { Agent, type Dispatcher } from "undici";
import { errorCode, Failure, messageOf } from "../../core/errors/errors.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import type { Variables } from "../../core/graph/graph-document.ts";
import { ERRORS_HEADER, NO_ERRORS } from "../../core/http/subgraph-headers.ts";
import { CALLER_HEADER } from "../../core/limits/access/api-keys.ts";
import { traceHeaders } from "../../core/observability/observe.ts";
import { counterOf } from "../../core/observability/registry.ts";
import { throwIfCancelled, type Work } from "../../core/work/work.ts";
import type { RemoteSubgraph } from "./subgraph.ts";

const TIMEOUT_MS = 30_000;

/**
 * Sends an operation to a subgraph. Returns the text of an answer without errors as it is, and any other answer as a result. Rejects with
 * `UNAVAILABLE` if the subgraph does not answer, and with `UPSTREAM_FAILED` if its answer is no result.
 */
export type SendOperation = (variables: Variables, info: RequestInfo) => Promise<string | ExecutionResult>;

/** Prepares an operation for a subgraph in another process. */
export function prepareRemote(subgraph: RemoteSubgraph, query: string): SendOperation {
  const { origin, pathname, search } = new URL(subgraph.url);
  const { timeoutMs = TIMEOUT_MS, retries: mostRetries = 0 } = subgraph;
  const retries = mostRetries > 0 && isQuery(query) ? mostRetries : 0;
  const target = {
    origin,
    path: pathname + search,
    method: "POST",
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  } as const;
  const answered = counterOf("subgraphRequests", { subgraph: subgraph.name, outcome: "ok" });
  const failed = counterOf("subgraphRequests", { subgraph: subgraph.name, outcome: "failed" });
  const bodyStart = `{"query":${JSON.stringify(query)},"variables":`;
  return async (variables, info) => {
    const headers: Record<string, string> = {
      ...forwardedHeaders(subgraph, info),
      "content-type": "application/json",
      accept: "application/json",
      "x-request-id": info.requestId,
      ...traceHeaders(),
    };
    if (info.caller !== undefined && !subgraph.isExternal) headers[CALLER_HEADER] = info.caller;
    const body = `${bodyStart}${JSON.stringify(variables)}}`;
    try {
      const { status, text, hasNoErrors } = await exchangeAgain({ ...target, headers, body }, info.work, retries);
      const answer = hasNoErrors && text !== "" ? text : parsedAnswer(text, status);
      answered.add();
      subgraph.outages?.succeeded();
      return answer;
    } catch (error) {
      if (!info.work.reason) {
        failed.add();
        subgraph.outages?.failed({}, reasonOf(error));
      }
      throw error;
    }
  };
}

/** The reason of the connection, which callers are not told. */
function reasonOf(error: unknown): string {
  const cause = (error instanceof Failure && error.originalError) || error;
  return messageOf(cause) || String(errorCode(cause));
}

function isQuery(query: string): boolean {
  return getOperationAST(parse(query))?.operation === OperationTypeNode.QUERY;
}

/** The headers of the caller that the settings let through to a subgraph. */
export function forwardedHeaders(
  { headersToForward = [] }: RemoteSubgraph,
  { headerOf }: Pick<RequestInfo, "headerOf">,
): Record<string, string> {
  const values = headersToForward.map((name) => [name, headerOf?.(name)] as const);
  return Object.fromEntries(values.filter((entry): entry is [string, string] => HEADER_VALUE.test(entry[1] ?? "\n")));
}

/** A member of `connection_init` may have characters that a header must not have. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The failure of a request or a subscription whose subgraph does not answer. */
export function subgraphUnreachable(cause: unknown): Failure {
  return new Failure("UNAVAILABLE", "a subgraph cannot be reached", cause);
}

/** The connections to all subgraphs. The global agent may belong to the version of undici in Node.js, which has other functions. */
const agent = new Agent();

interface Answer {
  readonly status: number;
  readonly text: string;
  /** True if the subgraph says so. */
  readonly hasNoErrors: boolean;
}

/** Pause before the first repetition of a request. It doubles with each one. */
const RETRY_PAUSE_MS = 50;

/** Sends a request, again if the connection fails or the status is one of a server's failure. A subgraph that is too slow is not asked again. */
async function exchangeAgain(options: Dispatcher.DispatchOptions, work: Work, retries: number): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    const last = attempt === retries;
    try {
      const answer = await exchange(options, work);
      if (last || answer.status < 500) return answer;
    } catch (error) {
      if (last || work.reason || isTimeout(error)) throw error;
    }
    await sleep(RETRY_PAUSE_MS * 2 ** attempt);
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Failure && /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(String(errorCode(error.originalError)));
}

/**
 * Sends a request, and closes its connection if the work is cancelled, so that the subgraph notices it too. Without the streams and the
 * signals of undici's other functions, which take longer than to read a short answer.
 */
function exchange(options: Dispatcher.DispatchOptions, work: Work): Promise<Answer> {
  throwIfCancelled(work);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let status = 0;
    let hasNoErrors = false;
    let controller: Dispatcher.DispatchController | null = null;
    const abort = () => controller?.abort(work.reason as NonNullable<Work["reason"]>); // set before `onCancel` is called
    const end = () => work.onCancel.delete(abort);
    work.onCancel.add(abort);
    agent.dispatch(options, {
      onRequestStart(started) {
        controller = started;
        if (work.reason) abort();
      },
      onResponseStart(_controller, statusCode, headers) {
        status = statusCode;
        hasNoErrors = headers[ERRORS_HEADER] === NO_ERRORS;
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        end();
        const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
        resolve({ status, text: bytes.toString(), hasNoErrors });
      },
      onResponseError(_controller, error) {
        end();
        reject(subgraphUnreachable(error));
      },
    });
  });
}

function parsedAnswer(text: string, status: number): ExecutionResult {
  try {
    const answer: unknown = JSON.parse(text);
    if (isResult(answer)) return answer;
  } catch {
    // As for any other answer that is no result.
  }
  throw new Failure("UPSTREAM_FAILED", `a subgraph answered HTTP ${status} without a GraphQL result`);
}

function isResult(answer: unknown): answer is ExecutionResult {
  return typeof answer === "object" && answer !== null && ("data" in answer || "errors" in answer);
}
