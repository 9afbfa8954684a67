import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { Fault } from "./faults.ts";
import { GARBAGE, type Garbage } from "./garbage.ts";
import { answered, asked, callsIn, isBatch, type WireCall } from "./rpc-rewriting.ts";
import { createTraffic, type Traffic } from "./traffic.ts";

/** What the node does wrong at the moment; tests assign to it at any time. */
export interface Behaviour {
  /** Added to every answer. */
  delayMs: number;
  /** HTTP status of every answer instead of the node's, such as 429 or 503. */
  status: { readonly code: number; readonly retryAfterSeconds?: number } | null;
  garbage: Garbage | null;
  /** Paths at which nothing is mounted: 404, as where an API is switched off. */
  missingPaths: RegExp | null;
  /** Takes requests and cuts the connection. */
  cutsConnections: boolean;
  /** Most calls in a batch; 0 refuses batches altogether. */
  batchLimit: number;
  /** Lies, told in this order; see `FAULTS`. */
  lies: readonly Fault[];
}

/** A node that fails on demand. */
export interface FaultyNode extends AsyncDisposable {
  readonly url: string;
  readonly faults: Behaviour;
  readonly traffic: Traffic;
  /** Stops listening and cuts what is open: connections are refused until `up`. */
  down(): Promise<void>;
  /** Listens again on the same port. */
  up(): Promise<void>;
  /** Ends every fault, and listens. */
  heal(): Promise<void>;
}

const HEALTHY: Behaviour = {
  delayMs: 0,
  status: null,
  garbage: null,
  missingPaths: null,
  cutsConnections: false,
  batchLimit: Infinity,
  lies: [],
};

/** Go's answer for a path that nothing is mounted at. */
const NOT_FOUND = { status: 404, headers: { "content-type": "text/plain" }, body: "404 page not found\n" };

/** As long as a real node's: shorter, and a polling client meets a connection that closes. */
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

/** Starts a proxy in front of the node at `upstream` that passes everything through word for word until told otherwise. */
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
    if (proxy.faults.delayMs > 0) await pause(proxy.faults.delayMs);
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

/** The answer of a node that does not even look at the calls. */
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
  const { lies, garbage } = faults;
  const response = await fetch(upstream + (request.url ?? "/"), {
    method: request.method ?? "GET",
    headers: { "content-type": request.headers["content-type"] ?? "application/json" },
    ...(body ? { body: asked(body, calls, lies) } : {}),
  });
  const honest = answered(await response.text(), calls, lies, request.url ?? "/");
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
