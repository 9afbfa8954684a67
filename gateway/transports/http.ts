import type { IncomingMessage, ServerResponse } from "node:http";
import cors from "cors";
import { type ExecutionResult, type GraphQLSchema, OperationTypeNode } from "graphql";
import { FAILURES, Failure } from "../../core/errors/errors.ts";
import { parseJson } from "../../core/formats/json.ts";
import { REST_SCHEMA, SCHEMA_HEADER } from "../../core/graph/rest-schema.ts";
import { workOf } from "../../core/http/connections.ts";
import { PREFLIGHT_SECONDS } from "../../core/http/cors.ts";
import { GRAPHQL_PATH } from "../../core/http/graph-path.ts";
import { httpRoute, setRoute } from "../../core/http/observe-http.ts";
import { type Callers, requestInfo } from "../../core/limits/access/callers.ts";
import { INTERNAL_TOKEN_HEADER, isInternalToken } from "../../core/limits/access/internal-token.ts";
import type { LimitHeadersOf } from "../../core/limits/access/limit-headers.ts";
import type { ChargeCaller } from "../../core/limits/access/rate-limit.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { answerInRequest, requestIdOf } from "../../core/observability/request-id.ts";
import type { Work } from "../../core/work/work.ts";
import { createGraphiqlPage } from "../graphiql/page.ts";
import { createSender } from "../operation/access.ts";
import type { ReadOperation } from "../operation/documents.ts";
import { type Outcome, refusedOutcome } from "../operation/outcome.ts";
import { badRequest, type OperationParams, paramsOfBody, paramsOfUrl } from "../operation/params.ts";
import { RequestError, requestError } from "../operation/request-error.ts";
import { type OperationRequest, RETRY_AFTER_SECONDS } from "../operation/run-operation.ts";
import { resultOf } from "../plan/fetch.ts";
import { isGraphqlDocument, NOT_ACCEPTABLE, readOperation, refuseEarly } from "./body.ts";
import { sendEvents } from "./events.ts";
import { type Accepted, acceptedBy, isStreamType } from "./media-types.ts";
import { EXPOSED_HEADERS, sendAnswer } from "./send-answer.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpOptions {
  /** Runs an operation. Never rejects. */
  run(request: OperationRequest): Promise<Outcome>;
  /** The schema that callers see when the server starts. */
  readonly schema: GraphQLSchema;
  readonly readOperation: ReadOperation;
  /** For REST in a process of its own, see `SCHEMA_HEADER`. */
  readonly readRestOperation: ReadOperation;
  readonly callers: Callers;
  readonly charge: ChargeCaller;
  /** See `Access.internalToken`. */
  readonly internalToken: string | null;
  readonly bodyLimitBytes: number;
  readonly limitHeadersOf: LimitHeadersOf;
  readonly logger: Logger;
}

const ROUTE = httpRoute(GRAPHQL_PATH);
const METHODS = "GET, POST";

const preflight = cors({
  origin: true,
  methods: [METHODS, "OPTIONS"],
  exposedHeaders: EXPOSED_HEADERS,
  maxAge: PREFLIGHT_SECONDS,
});

/** GraphQL over HTTP (https://graphql.github.io/graphql-over-http/draft), with events for subscriptions. Answers browsers with GraphiQL. */
export function createHttpHandler(options: HttpOptions): Handler {
  const graphiql = createGraphiqlPage(options.schema);
  return (request, response) => {
    setRoute(response, ROUTE);
    if (request.method === "OPTIONS") preflight(request, response, () => {});
    else if (asksForPage(request)) graphiql.send(request, response).catch(failed(response, options));
    else if (!refuseEarly(request, response, options))
      answerInRequest(requestIdOf(request), () => answer(request, response, options).catch(failed(response, options)));
  };
}

const failed =
  (response: ServerResponse, { logger }: HttpOptions) =>
  (error: unknown): void => {
    logger.error({ err: error }, "a GraphQL request cannot be answered");
    response.destroy();
  };

async function answer(request: IncomingMessage, response: ServerResponse, options: HttpOptions): Promise<void> {
  const body = request.method === "POST" ? await readOperation(request, response, options) : null;
  // The request was refused, or the caller has left.
  if (request.method === "POST" && !body) return;
  const accepted = acceptedBy(request.headers.accept);
  const headers: string[] = [];
  const outcome = await outcomeOf(request, { body, accepted, headers, work: workOf(response) }, options);
  const send = () => sendOutcome(response, outcome, accepted, headers);
  // Without `await`, which would keep all of this while it waits.
  if (outcome.kind === "result" && outcome.delay) void outcome.delay.then(send).catch(failed(response, options));
  else send();
}

/** True if a browser asks for a page instead of the result of an operation. */
function asksForPage({ method, headers }: IncomingMessage): boolean {
  return (method === "GET" || method === "HEAD") && acceptedBy(headers.accept).prefersPage;
}

function sendOutcome(
  response: ServerResponse,
  outcome: Outcome,
  { result: type, stream }: Accepted,
  headers: string[],
): void {
  if (outcome.kind === "events") {
    sendEvents(response, stream ?? EVENTS, { headers, events: outcome.events });
    return;
  }
  if (outcome.kind === "result") headers.push(...(outcome.headers ?? []));
  const isRefused = outcome.kind === "result" && outcome.status !== undefined;
  if (type === null || !isStreamType(type)) sendAnswer(response, type ?? "application/json", outcome, headers);
  else if (isRefused) sendAnswer(response, "application/json", outcome, headers);
  else sendEvents(response, type, { headers, events: onlyEvent(outcome) });
}

const EVENTS = "text/event-stream";

/** The result of a query, for callers who accept event streams only. */
async function* onlyEvent(
  outcome: Exclude<Outcome, { readonly kind: "events" }>,
): AsyncGenerator<ExecutionResult, void> {
  yield outcome.kind === "text" ? resultOf(outcome.text) : outcome.result;
}

/** What is known of a request when its body has been read. */
interface Asked {
  readonly body: Buffer | null;
  readonly accepted: Accepted;
  /** Gets the headers of rate limits. */
  readonly headers: string[];
  readonly work: Work;
}

async function outcomeOf(
  request: IncomingMessage,
  { body, accepted, headers, work }: Asked,
  options: HttpOptions,
): Promise<Outcome> {
  const { callers, internalToken, run } = options;
  const readOperation =
    request.headers[SCHEMA_HEADER] === REST_SCHEMA ? options.readRestOperation : options.readOperation;
  const requestId = requestIdOf(request);
  try {
    const client = callers.byKey(request, headers);
    const isCharged = internalToken !== null && isInternalToken(request.headers[INTERNAL_TOKEN_HEADER], internalToken);
    const sender = isCharged ? null : createSender(client, request, options, { headers });
    return await run({
      async read() {
        const requested = await readOperation(paramsOf(request, body), sender, work);
        checkKind(requested.operation.kind, request, accepted);
        return requested;
      },
      info: { ...requestInfo(client, requestId, work), headerOf: (name) => textOf(request.headers[name]) },
      sender,
      isStream: true,
    });
  } catch (error) {
    // The key is unknown or cannot be checked, or the address has used up its limit.
    if (!(error instanceof Failure)) throw error;
    if (error.code === "UNAVAILABLE") headers.push("retry-after", RETRY_AFTER_SECONDS);
    return refusedOutcome(new RequestError([error], FAILURES[error.code].http), (one) => one);
  }
}

/** The value of a header, also of one that was sent several times. */
const textOf = (value: string | string[] | undefined): string | undefined => value?.toString();

function paramsOf({ method, url = "", headers }: IncomingMessage, body: Buffer | null): OperationParams {
  if (method === "GET") return paramsOfUrl(parametersOf(url));
  if (!body) throw methodNotAllowed("GraphQL over HTTP has the methods GET and POST only", METHODS);
  const text = body.toString();
  if (isGraphqlDocument(headers["content-type"])) return paramsOfBody({ query: text });
  const parsed = parseJson(text);
  if (parsed === undefined) throw badRequest("the body must be JSON");
  return paramsOfBody(parsed);
}

/** The target may be a URL (RFC 9112, 3.2.2). */
function parametersOf(target: string): URLSearchParams {
  const at = target.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : target.slice(at + 1));
}

function methodNotAllowed(message: string, allow: string): RequestError {
  const { errors } = requestError("BAD_REQUEST", message);
  return new RequestError(errors, 405, allow);
}

/** Nothing may start whose result the caller cannot be sent. */
function checkKind(kind: OperationTypeNode, { method }: IncomingMessage, { stream }: Accepted): void {
  if (kind === OperationTypeNode.MUTATION && method === "GET")
    throw methodNotAllowed("a mutation must be sent by POST", "POST");
  if (kind === OperationTypeNode.SUBSCRIPTION && !stream) throw requestError("INVALID_PARAMETER", NOT_ACCEPTABLE, 406);
}
