import type { FailureCode } from "../../core/errors.ts";
import type { GraphClient } from "../../core/graph-client.ts";
import { failureOf } from "../graph/failures.ts";
import { loadOperation } from "../graph/operation.ts";

type Body = Readonly<Record<string, unknown>>;

/** The body of an operation's answer. Throws a `Failure` for the first of its errors. */
export type Ask = (variables: Readonly<Record<string, unknown>>, requestId: string) => Promise<Body>;

/** What holds though the part of the graph that would tell it is away: who asks is being answered. */
const WITHOUT_GRAPH: Readonly<Record<string, Body>> = { "node-liveness": { healthy: true, checks: [] } };
const AWAY: ReadonlySet<FailureCode> = new Set(["UNAVAILABLE", "UPSTREAM_FAILED"]);

/** Plans an operation of `operations/`, once. A public server says nothing of its own in place of the graph. */
export function compileAsk(graph: GraphClient, operation: string, isPublic: boolean): Ask {
  const run = graph.prepare(loadOperation(operation).document);
  const body = isPublic ? undefined : WITHOUT_GRAPH[operation];
  return async (variables, requestId) => {
    const { data, errors } = await run(variables, { requestId });
    const failure = errors?.[0] && failureOf(errors[0]);
    if (body && failure && AWAY.has(failure.code)) return body;
    if (failure) throw failure;
    return data?.["body"] as Body;
  };
}
