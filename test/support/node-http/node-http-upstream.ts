import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { parseJson } from "../../../core/formats/json.ts";
import { type Listener, listen } from "../node/listen.ts";
import type { NodeCall } from "./node-http.ts";

interface RpcAnswer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A node that answers the Info and health APIs from recorded calls. */
export interface RecordedNode extends Listener {
  /** The first recorded result of a method. */
  resultOf(method: string, argument?: string): Readonly<Record<string, unknown>>;
  /** The node id in its responses. */
  readonly nodeId: string;
}

/** Serves the recorded calls of one node in one state. Requests that were not recorded get 500. */
export async function serveRecordedNode(calls: readonly NodeCall[]): Promise<RecordedNode> {
  const answers = new Map<string, RpcAnswer>();
  for (const { path, requestBody, response } of calls) {
    const key = path.startsWith("/ext/info") && requestBody ? keyOf(requestBody) : null;
    if (!key || response?.status !== 200 || response.body.length === 0 || answers.has(key)) continue;
    const answer = JSON.parse(response.body.toString()) as RpcAnswer;
    if (!/^(rpc:|method must|couldn't unmarshal)/.test(answer.error?.message ?? "")) answers.set(key, answer);
  }
  const health = calls.find(({ verb, path }) => verb === "GET" && path === "/ext/health")?.response;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    if (request.url === "/ext/health" && health) return void response.writeHead(health.status).end(health.body);
    const known = answers.get(keyOf(body) ?? "") ?? peersAnswer(answers, body);
    if (known) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(known));
    else response.writeHead(500).end(`not recorded: ${body}`);
  };
  const listener = await listen((request, response) => void answer(request, response));
  const nodeId =
    calls.flatMap(({ response }) => response?.headers ?? []).find(([name]) => name === "Node-Id")?.[1] ?? "";
  return {
    ...listener,
    nodeId,
    resultOf: (method, argument = "") => answers.get(`${method} ${argument}`)?.result ?? {},
  };
}

interface RpcRequest {
  readonly method?: unknown;
  readonly params?: unknown;
}

function requestIn(body: string): RpcRequest {
  return Object(parseJson(body)) as RpcRequest;
}

/** Method and its argument; null if the body is not a request with params of the right types. */
function keyOf(body: string): string | null {
  const asked = requestIn(body);
  if (typeof asked.method !== "string" || !/^info\.[a-z]/.test(asked.method)) return null;
  const first: unknown = Array.isArray(asked.params) ? asked.params[0] : asked.params;
  const { chain, alias } = Object(first ?? {}) as Readonly<Record<string, unknown>>;
  const argument =
    asked.method === "info.isBootstrapped" ? chain : asked.method === "info.getBlockchainID" ? alias : "";
  return /nodeids/i.test(body) || typeof (argument ?? "") !== "string" ? null : `${asked.method} ${argument ?? ""}`;
}

/** The requested peers from the complete recorded list. */
function peersAnswer(answers: ReadonlyMap<string, RpcAnswer>, body: string): RpcAnswer | null {
  const { method, params } = requestIn(body);
  const all = answers.get("info.peers ")?.result?.["peers"] as readonly { readonly nodeID: string }[] | undefined;
  const ids = (params as { readonly nodeIDs?: readonly string[] } | undefined)?.nodeIDs;
  if (method !== "info.peers" || !all || !ids) return null;
  const peers = ids.length === 0 ? all : ids.flatMap((id) => all.filter(({ nodeID }) => nodeID === id));
  return { result: { numPeers: String(peers.length), peers } };
}
