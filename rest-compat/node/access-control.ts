import type { IncomingMessage } from "node:http";
import type { Config } from "../../core/config/config-schema.ts";
import { FAILURES, type FailureCode } from "../../core/errors/errors.ts";
import type { Caller } from "../../core/limits/access/callers.ts";
import { createLimitHeaders, type LimitHeadersOf } from "../../core/limits/access/limit-headers.ts";
import { Overloaded } from "../../core/limits/admission/overloaded.ts";
import { nodeInterfaceNetwork } from "../../core/networks/node-interface-network.ts";
import type { Logger } from "../../core/observability/logger.ts";
import type { Work } from "../../core/work/work.ts";
import { createFailureLog } from "../graph/failure-log.ts";
import { failureOfThrown, publicMessage } from "../graph/failures.ts";
import type { RestPipeline } from "../graph/pipeline.ts";
import { PROBE_LIMIT_MS } from "../graph/run-within.ts";
import { emptyReply, type NodeReply, rpcReply } from "./http/reply.ts";
import { splitTarget } from "./http/target.ts";
import { refusalBody } from "./rpc/reply.ts";
import type { RpcRequest } from "./rpc/request.ts";

/** A request to one of a node's paths. */
export interface NodeRequest {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly work: Work;
  /** The query without the question mark, still percent-encoded. */
  readonly query: string;
  /** Names and values, alternating, of the caller's rate limit headers. */
  readonly limitHeaders: string[];
}

/** Answers the requests to one path; never rejects. */
export type NodeAnswer = (request: NodeRequest) => Promise<NodeReply>;

/** Identifies callers, and refuses requests with JSON-RPC errors. */
export interface AccessControl {
  readonly bodyLimitBytes: number;
  readonly limitHeadersOf: LimitHeadersOf;
  /** True if data that describes only the node itself, such as its id and health, is hidden from callers. */
  readonly isPublic: boolean;
  /** How long health reports wait for the graph. */
  readonly probeLimitMs: number;
  /** Identifies the caller. Throws if the API key is unknown or not valid for the node's network. */
  identify(request: NodeRequest): Caller;
  /** The JSON-RPC error for anything thrown. `rpc` is null if the request could not be read. */
  refuse(error: unknown, rpc: RpcRequest | null, request: NodeRequest): NodeReply;
}

export type AccessControlConfig = Pick<Config, "bodyLimitBytes" | "evmChains" | "nodeInterface" | "primaryNetworks">;

export interface AccessControlOptions {
  readonly config: AccessControlConfig;
  readonly logger: Logger;
  /** How long health reports wait for the graph. Default: three seconds. */
  readonly probeLimitMs?: number | undefined;
}

/** Statuses that differ from REST's. A node sends its own errors with 200, and one client of nodes repeats a request after 403. */
const STATUSES: Readonly<Partial<Record<FailureCode, number>>> = { NODE_REFUSED: 200, FORBIDDEN: 401 };

/** Nobody knows when a part of the service is available again. */
const RETRY_AFTER_SECONDS = 1;

export function createAccessControl(
  { callers, counters, nowMs }: RestPipeline,
  { config, logger, probeLimitMs = PROBE_LIMIT_MS }: AccessControlOptions,
): AccessControl {
  const network = nodeInterfaceNetwork(config);
  const failures = createFailureLog(logger);
  return {
    bodyLimitBytes: config.bodyLimitBytes,
    limitHeadersOf: createLimitHeaders(callers.byKey, counters, nowMs),
    isPublic: config.nodeInterface.public,
    probeLimitMs,
    identify({ request, limitHeaders }) {
      const caller = callers.byKey(request, limitHeaders);
      callers.requireNetwork(caller, { network });
      return caller;
    },
    refuse(error, rpc, { request, requestId, limitHeaders }) {
      const failure = failureOfThrown(error);
      const status = STATUSES[failure.code] ?? FAILURES[failure.code].http;
      const { path } = splitTarget(request.url ?? "/");
      const line = { requestId, method: request.method, path };
      // The caller has closed the connection, which is not an error of the service.
      if (request.errored || request.socket.destroyed) return emptyReply(status);
      // The client of the upstream node logs its failures itself, and an overload is not logged for each request.
      if (status >= 500 && failure.code !== "UPSTREAM_FAILED" && !(failure instanceof Overloaded))
        failures.failed(failure, line);
      const seconds = failure instanceof Overloaded ? failure.retryAfterSeconds : RETRY_AFTER_SECONDS;
      if (status === FAILURES.UNAVAILABLE.http) limitHeaders.push("retry-after", String(seconds));
      const rpcError = { code: FAILURES[failure.code].rpc, message: publicMessage(failure, requestId) };
      return rpcReply(status, refusalBody(rpc, rpcError), true);
    },
  };
}
