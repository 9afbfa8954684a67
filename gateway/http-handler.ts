import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { compressJsonResponse } from "../core/http/compress-response.ts";
import type { Logger } from "../core/logger.ts";
import { httpRoute, setRoute } from "../core/observability/observe-http.ts";
import { requestIdOf } from "../core/observability/request-id.ts";
import { answerInRequest } from "../core/observability/request-scope.ts";
import type { DirectQueries } from "./direct/direct-queries.ts";
import type { DirectStreams } from "./direct/direct-streams.ts";
import { asksForPage, createGraphiqlPage } from "./graphiql/page.ts";
import { type BodyRules, readOperation, refuseEarly } from "./http.ts";
import { GRAPHQL_PATH, type Runtime } from "./runtime.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpHandlerOptions {
  readonly runtime: Runtime;
  /** Null if the runtime answers all queries. */
  readonly direct: DirectQueries | null;
  /** Null if the runtime answers all subscriptions. */
  readonly streams: DirectStreams | null;
  readonly bodyRules: BodyRules;
  readonly logger: Logger;
}

const ROUTE = httpRoute(GRAPHQL_PATH);

/** Creates the handler of requests to `/graphql`. It answers browsers with the GraphiQL page. */
export function createHttpHandler({ runtime, direct, streams, bodyRules, logger }: HttpHandlerOptions): Handler {
  const graphiql = createGraphiqlPage();
  const sendPage: Handler = (request, response) => {
    graphiql.send(request, response).catch((error: unknown) => {
      logger.error({ err: error }, "the GraphiQL page cannot be sent");
      response.destroy();
    });
  };
  const runByRuntime: Handler = (request, response) => {
    response.setHeader("cache-control", "no-store");
    compressJsonResponse(request, response);
    // The runtime builds a URL from the host, and fails on a malformed one.
    request.headers.host = "graph";
    void runtime(request, response);
  };
  const runWithBody = async (...[request, response]: Parameters<Handler>): Promise<void> => {
    const body = await readOperation(request, response, bodyRules);
    if (!body || direct?.answer(request, response, body) || streams?.answer(request, response, body)) return;
    // The runtime takes a body that was read before from this property. It looks at each character of a string.
    Object.assign(request, { body: Readable.from([body]) });
    runByRuntime(request, response);
  };
  const run: Handler = (request, response) => {
    if (request.method !== "POST") return runByRuntime(request, response);
    runWithBody(request, response).catch((error: unknown) => {
      logger.error({ err: error }, "a GraphQL request cannot be answered");
      response.destroy();
    });
  };
  return (request, response) => {
    setRoute(response, ROUTE);
    if (asksForPage(request)) {
      sendPage(request, response);
      return;
    }
    if (refuseEarly(request, response, bodyRules)) return;
    answerInRequest(requestIdOf(request), response, () => run(request, response));
  };
}
