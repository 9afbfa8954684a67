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
import { request } from "undici";
import WebSocket from "ws";
import { Failure } from "../core/errors.ts";
import type { RequestInfo } from "../core/graph-client.ts";
import { isLocal, type LocalSubgraph, type RemoteSubgraph, type Subgraph } from "./subgraph.ts";

const TIMEOUT_MS = 30_000;

/** One step of a plan, as the executor of the general way hands it to a subgraph. */
export interface Step {
  readonly document: DocumentNode;
  readonly variables?: Record<string, unknown>;
  readonly operationType?: string;
  readonly context?: Partial<RequestInfo>;
}

export type StepExecutor = (step: Step) => Promise<ExecutionResult | AsyncIterable<ExecutionResult>>;

/** The general way's connection to the subgraphs: a call in this process, or HTTP and graphql-ws. */
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
      if (!executor) throw new Error(`the supergraph names a subgraph ${subgraphName} that is not configured`);
      return executor as ReturnType<Transport["getSubgraphExecutor"]>;
    },
  };
}

const infoOf = (step: Step): RequestInfo => ({ requestId: step.context?.requestId ?? "" });

function localExecutor({ schema, context }: LocalSubgraph): StepExecutor {
  const known = new WeakMap<DocumentNode, readonly GraphQLError[]>();
  // The gateway's own schema knows custom scalars by name only: what a literal may be is the subgraph's to say.
  const errorsOf = (document: DocumentNode) => {
    const errors = known.get(document) ?? validate(schema, document, [ValuesOfCorrectTypeRule]);
    known.set(document, errors);
    return errors;
  };
  return async (step) => {
    const errors = errorsOf(step.document);
    if (errors.length > 0) return { errors };
    const args = {
      schema,
      document: step.document,
      contextValue: context(infoOf(step)),
      ...(step.variables ? { variableValues: step.variables } : {}),
    };
    return step.operationType === "subscription" ? subscribe(args) : execute(args);
  };
}

function remoteExecutor({ url }: RemoteSubgraph): StepExecutor {
  let socket: Client | undefined;
  return async (step) => {
    const body = { query: print(step.document), variables: step.variables ?? {} };
    if (step.operationType !== "subscription") return post(url, body, infoOf(step));
    socket ??= createClient({ url: url.replace(/^http/, "ws"), webSocketImpl: WebSocket, retryAttempts: 5 });
    return socket.iterate(body) as AsyncIterable<ExecutionResult>;
  };
}

async function post(url: string, body: unknown, { requestId }: RequestInfo): Promise<ExecutionResult> {
  const response = await request(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", "x-request-id": requestId },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new Failure("UNAVAILABLE", "a part of the graph cannot be reached", error);
  });
  const answer: unknown = await response.body.json().catch(() => null);
  if (isResult(answer)) return answer;
  throw new Failure(
    "UPSTREAM_FAILED",
    `a subgraph answered HTTP ${response.statusCode} with something that is no result`,
  );
}

function isResult(answer: unknown): answer is ExecutionResult {
  return typeof answer === "object" && answer !== null && ("data" in answer || "errors" in answer);
}
