import { EventEmitter } from "node:events";
import type { ExecutionResult } from "graphql";
import { getGlobalDispatcher } from "undici";
import { CALLER_HEADER } from "../core/access/api-keys.ts";
import { Failure } from "../core/errors.ts";
import type { RequestInfo } from "../core/graph-client.ts";
import { ERRORS_HEADER, NO_ERRORS } from "../core/http/subgraph-headers.ts";
import { currentScope } from "../core/observability/request-scope.ts";
import { traceHeaders } from "../core/observability/tracing.ts";
import { throwIfCancelled } from "../core/work/work.ts";
import type { RemoteSubgraph } from "./subgraph.ts";

const TIMEOUT_MS = 30_000;
/** Collecting signatures may take twice 55 seconds, and fails with a reason of its own. */
const SIGNATURES_TIMEOUT_MS = 120_000;

type Variables = Readonly<Record<string, unknown>>;

/**
 * Sends an operation to a subgraph. Returns the text of an answer without errors as it is, and any other answer as a result. Rejects with
 * `UNAVAILABLE` if the subgraph does not answer, and with `UPSTREAM_FAILED` if its answer is no result.
 */
export type SendOperation = (variables: Variables, info: RequestInfo) => Promise<string | ExecutionResult>;

/** Prepares an operation for a subgraph in another process. */
export function prepareRemote({ name, url }: RemoteSubgraph, query: string): SendOperation {
  const { origin, pathname, search } = new URL(url);
  const path = pathname + search;
  const timeoutMs = name === "signatures" ? SIGNATURES_TIMEOUT_MS : TIMEOUT_MS;
  const bodyStart = `{"query":${JSON.stringify(query)},"variables":`;
  return async (variables, { requestId, caller }) => {
    const work = currentScope()?.work;
    if (work) throwIfCancelled(work);
    // The connection is closed if the work of the present request is cancelled, so that the subgraph notices it too.
    const signal = new EventEmitter();
    const abort = () => void signal.emit("abort");
    work?.onCancel.add(abort);
    try {
      const answer = await getGlobalDispatcher()
        .request({
          origin,
          path,
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json",
            "x-request-id": requestId,
            ...traceHeaders(),
            ...(caller === undefined ? {} : { [CALLER_HEADER]: caller }),
          },
          body: `${bodyStart}${JSON.stringify(variables)}}`,
          signal,
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
        })
        .catch((error: unknown) => {
          throw new Failure("UNAVAILABLE", "a subgraph cannot be reached", error);
        });
      const text = await answer.body.text().catch(() => "");
      if (answer.headers[ERRORS_HEADER] === NO_ERRORS && text !== "") return text;
      return parsedAnswer(text, answer.statusCode);
    } finally {
      work?.onCancel.delete(abort);
    }
  };
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
