import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { Fault } from "./faults.ts";
import { GARBAGE, type Garbage } from "./garbage.ts";
import { answered, asked, callsIn, isBatch, type WireCall } from "./rpc-rewriting.ts";
import { createTraffic, type Traffic } from "./traffic.ts";

/** The current faults of the node. Tests can change them at any time. */
export interface Behaviour {
  /** Delay before every answer. */
  delayMs: number;
  /** If set, every answer has this HTTP status and no body. */
  status: { readonly code: number; readonly retryAfterSeconds?: number } | null;
  garbage: Garbage | null;
  /** Requests for these paths get 404, as from a node whose API is switched off. */
  missingPaths: RegExp | null;
  /** Closes the connection after it has received a request. */
  cutsConnections: boolean;
  /** Largest number of calls in a batch; 0 refuses all batches. */
  batchLimit: number;
  /** Changes of answers, applied in this order; see `FAULTS`. */
  wrongAnswers: readonly Fault[];
}

/** A node that fails or returns wrong answers if a test requires it. */
export interface FaultyNode extends AsyncDisposable {
  readonly url: string;
  readonly faults: Behaviour;
  readonly traffic: Traffic;
  /** Stops listening and closes all connections; new ones are refused until `up`. */
  down(): Promise<void>;
  /** Listens again on the same port. */
  up(): Promise<void>;
  /** Ends all faults, and listens again if the node was down. */
  heal(): Promise<void>;
}

const HEALTHY: Behaviour = {
  delayMs: 0,
  status: null,
  garbage: null,
  missingPaths: null,
  cutsConnections: false,
  batchLimit: Infinity,
  wrongAnswers: [],
};

/** The answer of Go's HTTP server for an unknown path. */
const NOT_FOUND = { status: 404, headers: { "content-type": "text/plain" }, body: "404 page not found\n" };

/** The keep-alive time of a real node. With a shorter one, a polling client may use a connection just as it closes. */
const IDLE_MS = 120_000;

interface Proxy {
  readonly upstream: string;
  readonly faults: Behaviour;
  readonly traffic: Traffic;
  inFlight: number;
}

interface WireAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * Starts a proxy in front of the node at `upstream`. It passes everything through unchanged until a test changes
 * `faults`.
 */
export async function startFaultyNode({ upstream }: { upstream: string }): Promise<FaultyNode> {
  const proxy: Proxy = { upstream, faults: { ...HEALTHY }, traffic: createTraffic(), inFlight: 0 };
  const server = createServer((request, response) => void serve(proxy, request, response));
  server.keepAliveTimeout = IDLE_MS;
  const port = await listen(server, 0);
  const up = async () => {
    if (!server.listening) await listen(server, port);
  };
  const heal = () => {
    Object.assign(proxy.faults, HEALTHY);
    return up();
  };
  const down = () => stop(server);
  const { faults, traffic } = proxy;
  return { url: `http://127.0.0.1:${port}`, faults, traffic, down, up, heal, [Symbol.asyncDispose]: down };
}

async function serve(proxy: Proxy, request: IncomingMessage, response: ServerResponse): Promise<void> {
  enter(proxy);
  try {
    const body = await text(request);
    const calls = callsIn(body);
    for (const { method } of calls) proxy.traffic.calls.set(method, (proxy.traffic.calls.get(method) ?? 0) + 1);
    if (proxy.faults.delayMs > 0) await pause(proxy.faults.delayMs, undefined, { ref: false });
    if (proxy.faults.cutsConnections) return void request.socket.destroy();
    const isMissing = proxy.faults.missingPaths?.test(request.url ?? "") ?? false;
    const answer = isMissing
      ? NOT_FOUND
      : (failed(proxy.faults, body, calls) ?? (await forwarded(proxy, request, body, calls)));
    response.writeHead(answer.status, answer.headers).end(answer.body);
  } catch (error) {
    response.destroy(error instanceof Error ? error : undefined);
  } finally {
    proxy.inFlight -= 1;
  }
}

function enter(proxy: Proxy): void {
  proxy.inFlight += 1;
  proxy.traffic.requests += 1;
  proxy.traffic.maxInFlight = Math.max(proxy.traffic.maxInFlight, proxy.inFlight);
}

/** The answer if the node refuses the request before it reads the calls; undefined if it does not. */
function failed({ status, batchLimit }: Behaviour, body: string, calls: readonly WireCall[]): WireAnswer | undefined {
  if (status) {
    const headers: Record<string, string> = {};
    if (status.retryAfterSeconds !== undefined) headers["retry-after"] = String(status.retryAfterSeconds);
    return { status: status.code, headers, body: "" };
  }
  if (!isBatch(body) || calls.length <= batchLimit) return undefined;
  const refusal = refused(batchLimit === 0 ? "null" : (calls[0]?.id ?? "null"), batchLimit);
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: batchLimit === 0 ? refusal : `[${refusal}]`,
  };
}

function refused(id: string, batchLimit: number): string {
  const message = batchLimit === 0 ? "batch not supported" : "batch too large";
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":"${message}"}}`;
}

async function forwarded(
  { upstream, faults }: Proxy,
  request: IncomingMessage,
  body: string,
  calls: WireCall[],
): Promise<WireAnswer> {
  const { wrongAnswers, garbage } = faults;
  const response = await fetch(upstream + (request.url ?? "/"), {
    method: request.method ?? "GET",
    headers: { "content-type": request.headers["content-type"] ?? "application/json" },
    ...(body ? { body: asked(body, calls, wrongAnswers) } : {}),
  });
  const honest = answered(await response.text(), calls, wrongAnswers, request.url ?? "/");
  const type = response.headers.get("content-type");
  return {
    status: response.status,
    headers: type ? { "content-type": type } : {},
    body: garbage ? GARBAGE[garbage](honest) : honest,
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // a TCP server that listens has one
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}
