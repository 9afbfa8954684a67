import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { currentTracing, type EndRequestSpan } from "../observability/observe.ts";
import { type HistogramCell, histogramOf, isRecording, readGauge } from "../observability/registry.ts";
import { requestIdOf, runInRequest } from "../observability/request-id.ts";
import { onResponseClose } from "./connections.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The series of a method's requests, by status. */
type CellsByStatus = Map<number | typeof ABORTED, HistogramCell>;

/** A path template, and the series of its requests by method. */
export interface HttpRoute {
  readonly template: string;
  readonly cells: Map<string, CellsByStatus>;
}

const routes = new Map<string, HttpRoute>();

/** The route with a path template, such as `/v1/chains/{chainId}`. Only for known templates: a route is never removed. */
export function httpRoute(template: string): HttpRoute {
  const known = routes.get(template) ?? { template, cells: new Map() };
  routes.set(template, known);
  return known;
}

const OTHER = httpRoute("other");
const ROUTE = Symbol("route");
type RoutedResponse = ServerResponse & { [ROUTE]?: HttpRoute };

/** Names the route that a response is counted under. Without this, it counts as `other`. */
export function setRoute(response: ServerResponse, route: HttpRoute): void {
  (response as RoutedResponse)[ROUTE] = route;
}

/** The status of a request whose caller left before the response. */
const ABORTED = "aborted";
const METHODS: ReadonlySet<string | undefined> = new Set(["GET", "POST", "HEAD", "OPTIONS"]);

let inProgress = 0;
const servers = new Set<Server>();
readGauge("httpRequestsInProgress", () => [{ labels: {}, value: inProgress }]);
readGauge("httpConnections", async () => {
  const counts = await Promise.all([...servers].map(connectionsOf));
  return counts.map((value) => ({ labels: {}, value }));
});

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

/**
 * Returns a handler that calls `handle` and gives each request an id, which the log lines of the request have. When the caller leaves,
 * the work of the request is cancelled. If metrics or traces are on, the handler also measures and traces the requests.
 */
export function observeRequests(server: Server, handle: Handler): Handler {
  servers.add(server);
  server.once("close", () => servers.delete(server));
  return (request, response) => {
    const requestId = requestIdOf(request);
    const tracing = currentTracing();
    if (tracing === null) {
      if (isRecording()) record(request, response, requestId, null);
      runInRequest(requestId, () => handle(request, response));
      return;
    }
    tracing.inRequestSpan(request, (endSpan) => {
      record(request, response, requestId, endSpan);
      runInRequest(requestId, () => handle(request, response));
    });
  };
}

function record(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  endSpan: EndRequestSpan | null,
): void {
  const startedAt = performance.now();
  inProgress++;
  onResponseClose(response, () => {
    inProgress--;
    const route = (response as RoutedResponse)[ROUTE] ?? OTHER;
    const { template } = route;
    const method = METHODS.has(request.method) ? (request.method as string) : "other";
    endSpan?.(`${method} ${template}`, {
      "http.request.method": method,
      "http.route": template,
      "http.response.status_code": response.statusCode,
      "moraine.request_id": requestId,
    });
    const type = response.getHeader("content-type");
    if (typeof type === "string" && type.startsWith("text/event-stream")) return;
    const status = response.writableFinished ? response.statusCode : ABORTED;
    cellOf(route, method, status).observe((performance.now() - startedAt) / 1_000);
  });
}

function cellOf({ template, cells }: HttpRoute, method: string, status: number | typeof ABORTED): HistogramCell {
  const known = cells.get(method)?.get(status);
  if (known) return known;
  const byStatus: CellsByStatus = cells.get(method) ?? new Map();
  const cell = histogramOf("httpRequestDuration", { method, route: template, status: String(status) });
  cells.set(method, byStatus.set(status, cell));
  return cell;
}
