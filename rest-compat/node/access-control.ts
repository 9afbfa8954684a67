import type { IncomingMessage } from "node:http";
import type { Config } from "../../core/config/config-schema.ts";
import { FAILURES, type FailureCode } from "../../core/errors/errors.ts";
import type { ApiKeys } from "../../core/limits/access/api-keys.ts";
import { type Caller, type CallersConfig, createCallers } from "../../core/limits/access/callers.ts";
import { createLimitHeaders, type LimitHeadersOf } from "../../core/limits/access/limit-headers.ts";
import { type ChargeCaller, createRateLimit } from "../../core/limits/access/rate-limit.ts";
import type { RateCounters } from "../../core/limits/rate-counters.ts";
import { nodeInterfaceNetwork } from "../../core/networks/node-interface-network.ts";
import type { Logger } from "../../core/observability/logger.ts";
import type { Work } from "../../core/work/work.ts";
import { failureOfThrown, publicMessage } from "../graph/failures.ts";
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

/** Identifies callers, counts their compute units, and refuses requests with JSON-RPC errors. */
export interface AccessControl {
  readonly bodyLimitBytes: number;
  readonly charge: ChargeCaller;
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

export type AccessControlConfig = CallersConfig &
  Pick<Config, "bodyLimitBytes" | "keyRequirements" | "nodeInterface" | "primaryNetworks">;

export interface AccessControlOptions {
  readonly config: AccessControlConfig;
  /** Usage of callers. */
  readonly counters: RateCounters;
  /** The clock of rate limits, in milliseconds. */
  readonly nowMs: () => number;
  readonly logger: Logger;
  /** Default: the API keys of the settings. */
  readonly apiKeys?: ApiKeys | undefined;
  /** How long health reports wait for the graph. Default: three seconds. */
  readonly probeLimitMs?: number | undefined;
}

/** Statuses that differ from REST's. A node sends its own errors with 200, and one client of nodes repeats a request after 403. */
const STATUSES: Readonly<Partial<Record<FailureCode, number>>> = { NODE_REFUSED: 200, FORBIDDEN: 401 };

/** Nobody knows when a part of the service is available again. */
const RETRY_AFTER_SECONDS = "1";

export function createAccessControl(options: AccessControlOptions): AccessControl {
  const { config, counters, nowMs, logger, apiKeys, probeLimitMs = PROBE_LIMIT_MS } = options;
  const charge = createRateLimit(counters, nowMs);
  const callers = createCallers(config, { apiKeys, charge });
  const network = nodeInterfaceNetwork(config);
  return {
    bodyLimitBytes: config.bodyLimitBytes,
    charge,
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
      const line = { requestId, method: request.method, path, err: failure.originalError ?? failure };
      // The caller has closed the connection, which is not an error of the service.
      if (request.errored || request.socket.destroyed) return emptyReply(status);
      if (failure.code === "INTERNAL") logger.error(line, "unexpected error while answering a request");
      // The client of the upstream node logs its failures itself.
      else if (status >= 500 && failure.code !== "UPSTREAM_FAILED")
        logger.warn(line, "a request failed because a part of the service is not available");
      if (status === FAILURES.UNAVAILABLE.http) limitHeaders.push("retry-after", RETRY_AFTER_SECONDS);
      const rpcError = { code: FAILURES[failure.code].rpc, message: publicMessage(failure, requestId) };
      return rpcReply(status, refusalBody(rpc, rpcError), true);
    },
  };
}
