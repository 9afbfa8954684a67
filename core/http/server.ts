import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Config } from "../config/config-schema.ts";
import { graphQLErrorBody, quoted } from "../errors/errors.ts";
import { limitConnections } from "./connection-limit.ts";
import { trackConnections } from "./connections.ts";
import { createDrain } from "./drain.ts";
import { limitAnswerTime, limitUnanswered, limitUnreadBytes } from "./guards.ts";
import { listenAt } from "./listen.ts";
import { answerMalformedRequest, connectRefused, createMalformedAnswers } from "./malformed-request.ts";
import { observeRequests } from "./observe-http.ts";
import { DefaultedResponse } from "./response.ts";
import { ignoreUpgrade } from "./upgrade-ignored.ts";

const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** How often Node.js looks for connections that exceed these two times. */
const TIMEOUT_CHECK_MS = 2_000;
/**
 * Longer than the idle timeout of usual load balancers, so that the server never closes a connection that the balancer is about
 * to use.
 */
const KEEP_ALIVE_MS = 75_000;
/** How long an idle connection stays open while the server stops. A request on its way arrives within this time. */
export const IDLE_GRACE_MS = 1_000;

/** How a server stops. */
export interface Shutdown {
  readonly delaySeconds: number;
  readonly limitSeconds: number;
}

/** How long a server with this setting may take to stop, in milliseconds. */
export function drainMs({ delaySeconds, limitSeconds }: Shutdown): number {
  return (delaySeconds + limitSeconds) * 1_000;
}

const SHUTDOWN: Shutdown = { delaySeconds: 0, limitSeconds: 10 };

/** What a server for the public takes from the settings. */
export function publicServer({ host, connectionsPerAddress, unreadBytes, shutdown }: Config) {
  return { host, connectionsPerAddress, unreadBytes, shutdown };
}

/**
 * What a server for other processes of Moraine takes from the settings. Its connections are not counted: they come from few addresses,
 * and those processes limit what their callers send.
 */
export function privateServer({ host, unreadBytes, shutdown }: Config) {
  return { host, unreadBytes, shutdown };
}

export interface ServerOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Name of the setting that has the port, for errors. Default: `port`. */
  readonly portSetting?: string;
  /** The response is sent with `x-request-id` and the security headers. */
  handler(request: IncomingMessage, response: ServerResponse): void;
  /** Takes over the connection of a WebSocket handshake. Default: all upgrades are ignored. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** True if a WebSocket may be opened at the request's path. Default: at any path. */
  acceptsUpgrade?(request: IncomingMessage): boolean;
  /** Answers bytes that cannot be parsed as a request, and the method CONNECT. Default: `answerMalformedRequest`. */
  clientError?(error: Error, socket: Duplex): void;
  /**
   * Answers a request that has no `Host` header, a target that is neither a path nor a URL, or an unknown expectation. `reason` names
   * the rule. Default: status 400 with a GraphQL error.
   */
  refuse?(request: IncomingMessage, response: ServerResponse, reason: string): void;
  /** Maximum number of open connections from one address. Default: 0, which is no limit. */
  readonly connectionsPerAddress?: number;
  /** The setting `unreadBytes`. Default: no limit. */
  readonly unreadBytes?: number;
  /** Default: one second. Tests that do not stop under load set 0. */
  readonly idleGraceMs?: number;
  /** The setting `shutdown`. Default: no delay, and ten seconds. */
  readonly shutdown?: Shutdown;
  /** The server starts to stop when this signal is aborted, or when the server is disposed. */
  readonly signal?: AbortSignal | undefined;
  /** Called once when the server starts to stop, for example to end subscriptions. */
  onDrain?(): void;
}

/**
 * A listening server. Disposing it answers the requests that have arrived or arrive on open connections with
 * `connection: close`, stops accepting connections after the delay of the setting `shutdown`, and closes what is left after the
 * limit of this setting.
 */
export interface RunningServer extends AsyncDisposable {
  readonly port: number;
}

/** Starts to listen. Rejects with `ConfigError` if the host or the port cannot be used. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { port, handler, refuse = refuseWithGraphqlError, idleGraceMs = IDLE_GRACE_MS } = options;
  const { connectionsPerAddress = 0, unreadBytes = Number.POSITIVE_INFINITY } = options;
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false,
    ServerResponse: DefaultedResponse,
  });
  const { delaySeconds, limitSeconds } = options.shutdown ?? SHUTDOWN;
  const connections = trackConnections(server);
  const drain = createDrain(server, connections, {
    delayMs: delaySeconds * 1_000,
    idleGraceMs,
    limitMs: limitSeconds * 1_000,
    onDrain: () => options.onDrain?.(),
  });
  limitConnections(server, connectionsPerAddress);
  limitUnanswered(server, connections);
  limitUnreadBytes(server, connections, unreadBytes);
  limitAnswerTime(server, connections);
  const onRequest = observeRequests(server, (request, response) => {
    const reason = brokenRule(request);
    if (reason === null) handler(request, response);
    else refuse(request, response, reason);
  });
  server.on("request", (request, response) => {
    // Requests still arrive on a connection that a limit has closed.
    if (!request.socket.destroyed) onRequest(request, response);
  });
  // Node emits this event in place of a request with an unknown expectation.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  const { clientError = (error: Error, socket: Duplex) => answerMalformedRequest(error, socket) } = options;
  const answerInOrder = createMalformedAnswers(connections);
  server.on("clientError", (error, socket: Socket) => answerInOrder(socket, () => clientError(error, socket)));
  // Without a listener, Node.js closes the connection without an answer.
  server.on("connect", (_request, socket: Socket) => {
    socket.on("error", () => socket.destroy());
    if (!connections.get(socket)?.size) clientError(connectRefused(), socket);
    socket.destroySoon();
  });
  handleUpgrades(server, options);
  await listenAt(server, options);
  if (options.signal?.aborted) void drain();
  else options.signal?.addEventListener("abort", () => void drain(), { once: true });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    [Symbol.asyncDispose]: drain,
  };
}

/** The rule of HTTP that a request breaks; null if none. */
function brokenRule({ headers, rawHeaders, httpVersion, url = "" }: IncomingMessage): string | null {
  if (headers.host === undefined && httpVersion === "1.1") return "the request must have a Host header";
  if (hasSeveralHosts(rawHeaders)) return "the request must have only one Host header";
  // Express would parse it with a deprecated function of Node.js, which prints a warning.
  if (!url.startsWith("/") && url !== "*" && !URL.canParse(url))
    return `the request target must be a path or a URL, got ${quoted(url)}`;
  const { expect } = headers;
  if (!expect || expect.toLowerCase() === "100-continue") return null;
  return `the Expect header must be 100-continue, got ${quoted(expect)}`;
}

/** Node.js keeps only the first one, and a proxy before it may have used another one. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts > 1;
}

/** Refuses a request with a GraphQL error and closes the connection. */
export function refuseWithGraphqlError(_request: IncomingMessage, response: ServerResponse, reason: string): void {
  const text = graphQLErrorBody("INVALID_PARAMETER", reason);
  response.writeHead(400, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    connection: "close",
  });
  response.end(text);
}

/** Passes WebSocket handshakes to `upgrade`. A request for any other protocol, such as h2c, is answered as plain HTTP/1.1. */
function handleUpgrades(
  server: Server,
  { upgrade, acceptsUpgrade = () => true }: Pick<ServerOptions, "upgrade" | "acceptsUpgrade">,
): void {
  server.on("upgrade", (request, socket, head) => {
    const isWebSocket = request.headers.upgrade?.toLowerCase() === "websocket";
    if (!upgrade || !isWebSocket || !acceptsUpgrade(request)) return ignoreUpgrade(server, request, socket, head);
    socket.on("error", () => socket.destroy());
    upgrade(request, socket, head);
  });
}
