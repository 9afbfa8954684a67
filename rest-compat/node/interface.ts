import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { GraphClient } from "../../core/graph-client.ts";
import type { Logger } from "../../core/logger.ts";
import type { RateCounters } from "../../core/rate-counters.ts";
import { createRateLimit } from "../access/rate-limit.ts";
import { createDesk, type DeskConfig, type NodeAnswer } from "./access-control.ts";
import { createReport } from "./health-report.ts";
import { corsHeaders, type Headers, preflightHeaders } from "./http/cors.ts";
import { answerBroken, brokenTarget } from "./http/malformed-request.ts";
import { emptyReply, errorReply, type NodeReply } from "./http/reply.ts";
import { sendRefusal, sendReply } from "./http/send.ts";
import { cleanPath, decodedPath, isAllowedHost, movedTo, refusalOf, splitTarget } from "./http/target.ts";
import { createIdentity } from "./node-id.ts";
import { REPORTS } from "./rpc/methods.ts";
import { createRpc } from "./rpc-endpoint.ts";

export interface NodeInterfaceOptions {
  readonly graph: GraphClient;
  readonly config: DeskConfig;
  readonly logger: Logger;
  readonly counters: RateCounters;
  /** The clock of rate limits and of what is kept. */
  readonly nowMs?: () => number;
}

/** The paths of a node, `/ext/…`, at the root of the origin. */
export interface NodeInterface {
  /** Whether a request target is one of them, or would be once it is clean. */
  isNodePath(target: string | undefined): boolean;
  /** Answers a request to such a path; never throws. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Answers what could not be read as a request where its first line names such a path; false where it does not. */
  clientError(error: Error, socket: Duplex): boolean;
}

/** Compiles every method against the graph, once. Throws when the graph lacks what an operation asks for. */
export function createNodeInterface(options: NodeInterfaceOptions): NodeInterface {
  const { graph, config, logger, nowMs = Date.now } = options;
  const { allowedHosts } = config.nodeInterface;
  const identity = createIdentity(graph, nowMs);
  const answers = answersOf(options, nowMs);

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request);
    if (refusal) return sendRefusal(response, refusal);
    const nodeId = await identity();
    const shared: Headers = nodeId === null ? [] : [["Node-Id", nodeId]];
    const preflight = preflightHeaders(request);
    const reply = preflight ? emptyReply(200, preflight) : await replyTo(request, allowedHosts, answers);
    const cors = preflight ? [] : corsHeaders(request.headers);
    if (!response.destroyed)
      sendReply(request, response, { ...reply, headers: [...reply.headers, ...cors, ...shared] });
  }

  return {
    isNodePath,
    handle(request, response) {
      respond(request, response).catch((error: unknown) => {
        logger.error({ method: request.method, url: request.url, err: error }, "a request failed unexpectedly");
        response.destroy();
      });
    },
    clientError(error, socket) {
      const target = brokenTarget(error);
      const isOurs = target !== null && isNodePath(target);
      if (isOurs) answerBroken(error, socket);
      return isOurs;
    },
  };
}

/** What answers at each path. */
function answersOf({ graph, config, logger, counters }: NodeInterfaceOptions, nowMs: () => number) {
  const desk = createDesk(config, createRateLimit(counters, nowMs), logger);
  const reports = [...REPORTS].map(([path, operation]) => [path, createReport(operation, graph, desk)] as const);
  const answers = new Map<string, NodeAnswer>([["/ext/info", createRpc("/ext/info", graph, desk)], ...reports]);
  const report = answers.get("/ext/health") as NodeAnswer;
  const rpc = createRpc("/ext/health", graph, desk);
  return answers.set("/ext/health", (opened) => (opened.request.method === "GET" ? report(opened) : rpc(opened)));
}

function isNodePath(target = "/"): boolean {
  const path = decodedPath(target) ?? splitTarget(target).path;
  return /^\/ext(\/|$)/.test(cleanPath(path));
}

/** A reply but for the headers that all replies carry. */
async function replyTo(
  request: IncomingMessage,
  allowedHosts: readonly string[],
  answers: ReadonlyMap<string, NodeAnswer>,
): Promise<NodeReply> {
  const { url = "/", headers } = request;
  const { host, query } = splitTarget(url);
  const path = decodedPath(url) ?? "/";
  if (!isAllowedHost(host ?? headers.host ?? "", allowedHosts)) return errorReply(403, "invalid host specified");
  if (headers["avalanche-api-route"] !== undefined) return emptyReply(404);
  if (cleanPath(path) !== path) return emptyReply(301, [["Location", movedTo(url)]]);
  const answer = answers.get(path);
  if (!answer) return errorReply(404, "404 page not found");
  const limitHeaders: string[] = [];
  const reply = await answer({ request, requestId: randomUUID(), query, limitHeaders });
  return { ...reply, headers: [...reply.headers, ...pairs(limitHeaders)] };
}

function pairs(headers: readonly string[]): Headers {
  return headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] as string] as const] : []));
}
