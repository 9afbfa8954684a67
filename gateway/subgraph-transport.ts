import type { Transport } from "@graphql-mesh/transport-common";
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  print,
  subscribe,
  ValuesOfCorrectTypeRule,
  validate,
} from "graphql";
import { type Client, createClient } from "graphql-ws";
import { request as httpRequest } from "undici";
import WebSocket from "ws";
import { CALLER_HEADER } from "../core/access/api-keys.ts";
import { sourceInTurns } from "../core/admission/event-turns.ts";
import { Failure } from "../core/errors.ts";
import type { RequestInfo } from "../core/graph-client.ts";
import { currentScope } from "../core/observability/request-scope.ts";
import { inSpan, traceHeaders } from "../core/observability/tracing.ts";
import { throwIfCancelled } from "../core/work/work.ts";
import { isLocal, type LocalSubgraph, type RemoteSubgraph, type Subgraph } from "./subgraph.ts";

const TIMEOUT_MS = 30_000;
/** Collecting signatures may take twice 55 seconds, and fails with a reason of its own. */
const SIGNATURES_TIMEOUT_MS = 120_000;

/** A fetch of a query plan, as Hive's executor sends it to a subgraph. */
interface SubgraphRequest {
  readonly document: DocumentNode;
  readonly variables?: Record<string, unknown>;
  readonly operationType?: string;
  readonly context?: Partial<RequestInfo>;
}

type SubgraphExecutor = (request: SubgraphRequest) => Promise<ExecutionResult | AsyncIterable<ExecutionResult>>;

/** Connects Hive's executor to the subgraphs: by a call in this process, or by HTTP and graphql-ws. */
export function createTransport(subgraphs: readonly Subgraph[]): Transport {
  const executors = new Map(
    subgraphs.map((subgraph) => [
      subgraph.name,
      isLocal(subgraph) ? localExecutor(subgraph) : remoteExecutor(subgraph),
    ]),
  );
  return {
    getSubgraphExecutor({ subgraphName }) {
      const executor = executors.get(subgraphName.toLowerCase());
      if (!executor) throw new Error(`the supergraph contains subgraph ${subgraphName}, which is not configured`);
      const name = `subgraph ${subgraphName.toLowerCase()}`;
      const traced: SubgraphExecutor = (request) => inSpan("subgraph", name, () => executor(request));
      return traced as ReturnType<Transport["getSubgraphExecutor"]>;
    },
  };
}

const infoOf = ({ context }: SubgraphRequest): RequestInfo => ({
  requestId: context?.requestId ?? "",
  caller: context?.caller,
  callerLeft: context?.callerLeft,
});

function localExecutor({ schema, context }: LocalSubgraph): SubgraphExecutor {
  const known = new WeakMap<DocumentNode, readonly GraphQLError[]>();
  // The gateway knows custom scalars by name only, so it cannot check their literals.
  const errorsOf = (document: DocumentNode) => {
    const errors = known.get(document) ?? validate(schema, document, [ValuesOfCorrectTypeRule]);
    known.set(document, errors);
    return errors;
  };
  return async (request) => {
    const errors = errorsOf(request.document);
    if (errors.length > 0) return { errors };
    const args = {
      schema,
      document: request.document,
      contextValue: context(infoOf(request)),
      ...(request.variables ? { variableValues: request.variables } : {}),
    };
    return request.operationType === "subscription" ? subscribe(args) : execute(args);
  };
}

function remoteExecutor({ name, url }: RemoteSubgraph): SubgraphExecutor {
  const timeoutMs = name === "signatures" ? SIGNATURES_TIMEOUT_MS : TIMEOUT_MS;
  let socket: Client | undefined;
  // To print a document takes longer than to send it. Plans are kept, and so are their documents.
  const known = new WeakMap<DocumentNode, string>();
  const textOf = (document: DocumentNode): string => {
    const text = known.get(document) ?? print(document);
    known.set(document, text);
    return text;
  };
  return async (request) => {
    const body = { query: textOf(request.document), variables: request.variables ?? {} };
    const info = infoOf(request);
    if (request.operationType !== "subscription") return post(url, body, info, timeoutMs);
    socket ??= createClient({ url: url.replace(/^http/, "ws"), webSocketImpl: WebSocket, retryAttempts: 5 });
    // All callers share the socket, so the caller is named with each subscription.
    const extensions = info.caller === undefined ? {} : { extensions: { [CALLER_HEADER]: info.caller } };
    return sourceInTurns(socket.iterate({ ...body, ...extensions }) as AsyncIterable<ExecutionResult>);
  };
}

/** Closes the connection if the work of the present request is cancelled, so that the subgraph notices it too. */
async function post(url: string, body: unknown, info: RequestInfo, timeoutMs: number): Promise<ExecutionResult> {
  const work = currentScope()?.work;
  if (work) throwIfCancelled(work);
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, timeoutMs);
  work?.onCancel.add(abort);
  try {
    return await exchange(url, body, info, controller.signal);
  } finally {
    clearTimeout(timer);
    work?.onCancel.delete(abort);
  }
}

async function exchange(url: string, body: unknown, info: RequestInfo, signal: AbortSignal): Promise<ExecutionResult> {
  const response = await httpRequest(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      "x-request-id": info.requestId,
      ...traceHeaders(),
      ...(info.caller === undefined ? {} : { [CALLER_HEADER]: info.caller }),
    },
    body: JSON.stringify(body),
    signal,
  }).catch((error: unknown) => {
    throw new Failure("UNAVAILABLE", "a subgraph cannot be reached", error);
  });
  const answer: unknown = await response.body.json().catch(() => null);
  if (isResult(answer)) return answer;
  throw new Failure("UPSTREAM_FAILED", `a subgraph answered HTTP ${response.statusCode} without a GraphQL result`);
}

function isResult(answer: unknown): answer is ExecutionResult {
  return typeof answer === "object" && answer !== null && ("data" in answer || "errors" in answer);
}
