import type { IncomingMessage, ServerResponse } from "node:http";
import getRawBody from "raw-body";
import { FAILURES, Failure, messageOf } from "../../core/errors/errors.ts";
import { workOf } from "../../core/http/connections.ts";
import { httpRoute, setRoute } from "../../core/http/observe-http.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { counterOf } from "../../core/observability/registry.ts";
import { signalOf } from "../../core/work/work.ts";
import {
  AGGREGATION_PATH,
  type AggregationEvent,
  type AggregationProgress,
  HEALTH_PATH,
  MESSAGES_PATH,
  type ServiceFailure,
} from "../protocol/protocol.ts";
import { type AggregateDeps, aggregate } from "./aggregate.ts";
import { parseAggregation, parseSources } from "./messages.ts";

export interface HandlerDeps extends AggregateDeps {
  /** Rejects with a message for the operator if requests cannot succeed. */
  checkHealth(): Promise<void>;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  readonly logger: Logger;
}

const MAX_MESSAGES_BYTES = 32 * 1_048_576;
const MAX_AGGREGATION_BYTES = 1_048_576;
/** Requests that wait for an aggregate at the same time. Equal requests count separately, although they share the signatures. */
const MAX_WAITING = 2_000;

const STOPPING: ServiceFailure = { code: "UNAVAILABLE", message: "the signature service stops; try again later" };

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers the requests of the signatures subgraph. */
export function createHandler(deps: HandlerDeps): Handler {
  const { resolver, checkHealth, stopping, logger } = deps;
  let waiting = 0;
  const describe = async (request: IncomingMessage, response: ServerResponse) => {
    const described = await resolver.describe(parseSources(await bodyOf(request, MAX_MESSAGES_BYTES)));
    sendJson(response, 200, described);
  };
  const collect = async (request: IncomingMessage, response: ServerResponse) => {
    const input = parseAggregation(await bodyOf(request, MAX_AGGREGATION_BYTES));
    if (waiting >= MAX_WAITING)
      throw new Failure("UNAVAILABLE", `${waiting} requests wait for signatures already; try again later`);
    waiting++;
    const left = signalOf(workOf(response));
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.flushHeaders();
    const send = (event: AggregationEvent) => void response.write(`${JSON.stringify(event)}\n`);
    try {
      const signal = AbortSignal.any([left, stopping]);
      // Progress is left out while the caller has not read the earlier one.
      const onProgress = (progress: AggregationProgress) => {
        if (!response.writableNeedDrain) send({ type: "progress", ...progress });
      };
      const result = await aggregate(deps, input, { signal, onProgress });
      countEnded("SIGNED");
      send({ type: "result", ...result });
    } catch (error) {
      if (left.aborted) return countEnded("CALLER_LEFT");
      const failure = stopping.aborted ? STOPPING : serviceFailure(error, logger);
      countEnded(failure.code);
      send({ type: "failure", ...failure });
    } finally {
      waiting--;
      response.end();
    }
  };
  const reportHealth = async (_request: IncomingMessage, response: ServerResponse) => {
    await checkHealth().catch((error: unknown) => {
      throw new Failure("UNAVAILABLE", messageOf(error));
    });
    sendJson(response, 200, { healthy: true });
  };
  const routes: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>> = {
    [`GET ${HEALTH_PATH}`]: reportHealth,
    [`POST ${MESSAGES_PATH}`]: describe,
    [`POST ${AGGREGATION_PATH}`]: collect,
  };
  return (request, response) => {
    const route = routes[`${request.method} ${request.url}`];
    if (route && request.url) setRoute(response, httpRoute(request.url));
    const answered = route
      ? route(request, response)
      : Promise.reject(new Failure("NOT_FOUND", `there is no ${request.method} ${request.url}`));
    answered.catch((error: unknown) => sendFailure(response, serviceFailure(error, logger)));
  };
}

async function bodyOf(request: IncomingMessage, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(request, { limit, length: request.headers["content-length"] ?? null });
  } catch (error) {
    throw new Failure("INVALID_PARAMETER", `the body, of at most ${limit} bytes, could not be read`, error);
  }
}

function countEnded(outcome: string): void {
  counterOf("signaturesEnded", { outcome }).add();
}

/**
 * Any error other than a `Failure` is a bug or an error of the operating system. It is logged, and callers get `INTERNAL` without
 * details.
 */
function serviceFailure(error: unknown, logger: Logger): ServiceFailure {
  if (error instanceof Failure) return { code: error.code, message: error.message };
  logger.error({ err: error }, `a request for signatures failed: ${messageOf(error)}`);
  return { code: "INTERNAL", message: "internal error of the signature service" };
}

function sendFailure(response: ServerResponse, failure: ServiceFailure): void {
  if (response.headersSent) return void response.destroy();
  const code = failure.code as keyof typeof FAILURES; // `serviceFailure` makes no others
  sendJson(response, FAILURES[code].http, failure);
}

function sendJson(response: ServerResponse, status: number, content: unknown): void {
  const body = JSON.stringify(content);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}
