import type { FailureCode } from "../../core/errors.ts";
import type { GraphClient, RequestInfo } from "../../core/graph-client.ts";
import { failureOf } from "../graph/failures.ts";
import { loadOperation } from "../graph/operation.ts";

type Body = Readonly<Record<string, unknown>>;

/** Runs an operation and returns its `body`. Throws a `Failure` for the first of its errors. */
export type GraphCall = (variables: Readonly<Record<string, unknown>>, info: RequestInfo) => Promise<Body>;

/** Bodies that are true even if the graph is not available: a process that answers is alive. */
const WITHOUT_GRAPH: Readonly<Record<string, Body>> = { "node-liveness": { healthy: true, checks: [] } };
const UNAVAILABLE: ReadonlySet<FailureCode> = new Set(["UNAVAILABLE", "UPSTREAM_FAILED"]);

/** Prepares an operation of `operations/`. If `isPublic`, liveness also needs the graph, which decides whether to hide it. */
export function prepareCall(graph: GraphClient, operation: string, isPublic: boolean): GraphCall {
  const run = graph.prepare(loadOperation(operation).document);
  const fallback = isPublic ? undefined : WITHOUT_GRAPH[operation];
  return async (variables, info) => {
    const { data, errors } = await run(variables, info);
    const failure = errors?.[0] && failureOf(errors[0]);
    if (fallback && failure && UNAVAILABLE.has(failure.code)) return fallback;
    if (failure) throw failure;
    return data?.["body"] as Body;
  };
}
