import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { workOf } from "../../core/http/connections.ts";
import { httpRoute, setRoute } from "../../core/http/observe-http.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { answerInRequest, requestIdOf } from "../../core/observability/request-id.ts";
import type { RestPipeline } from "../graph/pipeline.ts";
import { type AccessControlConfig, createAccessControl, type NodeAnswer } from "./access-control.ts";
import { createHealthReport } from "./health-report.ts";
import { corsHeaders, type Headers, preflightHeaders } from "./http/cors.ts";
import { answerMalformedRequest, malformedTarget } from "./http/malformed-request.ts";
import { emptyReply, errorReply, type NodeReply } from "./http/reply.ts";
import { isAllowedHost, refusalOf } from "./http/request-check.ts";
import { sendRefusal, sendReply } from "./http/send.ts";
import { cleanPath, decodedPath, redirectTarget, splitTarget } from "./http/target.ts";
import { createNodeIdReader } from "./node-id.ts";
import { REPORTS } from "./rpc/methods.ts";
import { createRpcEndpoint } from "./rpc-endpoint.ts";

export interface NodeInterfaceOptions {
  readonly config: AccessControlConfig;
  readonly logger: Logger;
  /** Aborted when the server starts to stop: health reports then fail. */
  readonly signal?: AbortSignal | undefined;
  /** How long health reports wait for the graph. Default: three seconds. */
  readonly probeLimitMs?: number | undefined;
}

/** The paths of an avalanchego node below `/ext`, answered byte for byte as a node answers them. */
export interface NodeInterface {
  /** True if a request target is a path below `/ext`, or becomes one by removing empty and dot segments. */
  isNodePath(target: string | undefined): boolean;
  /** Answers a request to such a path; never throws. `basePath` is the path below which `/ext` is mounted. */
  handle(request: IncomingMessage, response: ServerResponse, basePath?: string): void;
  /** Answers a malformed request if its first line names such a path. Returns false if it does not. */
  clientError(error: Error, socket: Duplex): boolean;
}

/** Prepares every method. Throws if the graph lacks something that an operation selects. */
export function createNodeInterface(pipeline: RestPipeline, options: NodeInterfaceOptions): NodeInterface {
  const { config, logger } = options;
  const { allowedHosts } = config.nodeInterface;
  const readNodeId = createNodeIdReader(pipeline.graph, pipeline.nowMs);
  const answers = answersOf(pipeline, options);

  async function respond(request: IncomingMessage, response: ServerResponse, basePath: string): Promise<void> {
    const refusal = refusalOf(request);
    if (refusal) return sendRefusal(response, refusal);
    const nodeId = await readNodeId();
    const shared: Headers = nodeId === null ? [] : [["Node-Id", nodeId]];
    const preflight = preflightHeaders(request);
    const context = { response, allowedHosts, answers, basePath };
    const reply = preflight ? emptyReply(200, preflight) : await replyTo(request, context);
    const cors = preflight ? [] : corsHeaders(request.headers);
    if (!response.destroyed)
      sendReply(request, response, { ...reply, headers: [...reply.headers, ...cors, ...shared] });
  }

  return {
    isNodePath,
    handle(request, response, basePath = "") {
      const answer = () => respond(request, response, basePath);
      answerInRequest(requestIdOf(request), answer).catch((error: unknown) => {
        const path = splitTarget(request.url ?? "/").path;
        const line = { requestId: requestIdOf(request), method: request.method, path, err: error };
        logger.error(line, "unexpected error while answering a request");
        response.destroy();
      });
    },
    clientError(error, socket) {
      const target = malformedTarget(error);
      if (target === null || !isNodePath(target)) return false;
      answerMalformedRequest(error, socket);
      return true;
    },
  };
}

function answersOf(pipeline: RestPipeline, options: NodeInterfaceOptions) {
  const { graph } = pipeline;
  const { signal } = options;
  const access = createAccessControl(pipeline, options);
  const reports = [...REPORTS].map(
    ([path, operation]) => [path, createHealthReport(operation, { graph, access, signal })] as const,
  );
  const answers = new Map<string, NodeAnswer>([
    ["/ext/info", createRpcEndpoint("/ext/info", { pipeline, access })],
    ...reports,
  ]);
  const report = answers.get("/ext/health") as NodeAnswer;
  const rpc = createRpcEndpoint("/ext/health", { pipeline, access });
  return answers.set("/ext/health", (request) => (request.request.method === "GET" ? report(request) : rpc(request)));
}

function isNodePath(target = "/"): boolean {
  // A fast check for all other requests: every path below /ext contains these letters, encoded or not.
  if (!target.includes("ext") && !target.includes("%")) return false;
  const path = decodedPath(target) ?? splitTarget(target).path;
  return /^\/ext(\/|$)/.test(cleanPath(path));
}

interface ReplyContext {
  readonly response: ServerResponse;
  readonly allowedHosts: readonly string[];
  readonly answers: ReadonlyMap<string, NodeAnswer>;
  readonly basePath: string;
}

/** The reply without the headers that all replies have. */
async function replyTo(
  request: IncomingMessage,
  { response, allowedHosts, answers, basePath }: ReplyContext,
): Promise<NodeReply> {
  const { url = "/", headers } = request;
  const { host, query } = splitTarget(url);
  const path = decodedPath(url) ?? "/";
  if (!isAllowedHost(host ?? headers.host ?? "", allowedHosts)) return errorReply(403, "invalid host specified");
  if (headers["avalanche-api-route"] !== undefined) return emptyReply(404);
  if (cleanPath(path) !== path) return emptyReply(301, [["Location", redirectTarget(url, basePath)]]);
  const answer = answers.get(path);
  if (!answer) return errorReply(404, "404 page not found");
  setRoute(response, httpRoute(path));
  const limitHeaders: string[] = [];
  const reply = await answer({
    request,
    requestId: requestIdOf(request),
    work: workOf(response),
    query,
    limitHeaders,
  });
  return { ...reply, headers: [...reply.headers, ...pairs(limitHeaders)] };
}

function pairs(headers: readonly string[]): Headers {
  return headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] as string] as const] : []));
}
