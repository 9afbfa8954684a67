import type { ExecutionResult } from "graphql";
import { type FailureCode, graphQLErrorOf } from "../../core/errors/errors.ts";
import type { GraphClient, Operation } from "../../core/graph/graph-client.ts";
import { failureOf } from "../graph/failures.ts";
import { loadOperation, type RestOperation } from "../graph/operation.ts";
import { type Asked, runWithin } from "../graph/run-within.ts";

type Body = Readonly<Record<string, unknown>>;

/** An operation of `operations/`, prepared. */
export interface GraphCall {
  readonly source: RestOperation;
  readonly run: Operation;
  /** The `body` of its result. Throws a `Failure` for the first of its errors. */
  bodyOf(result: ExecutionResult): Body;
}

/** Bodies that are true even if the graph is not available: a process that answers is alive. */
const WITHOUT_GRAPH: Readonly<Record<string, Body>> = { "node-liveness": { healthy: true, checks: [] } };
const UNAVAILABLE: ReadonlySet<FailureCode> = new Set(["UNAVAILABLE", "UPSTREAM_FAILED"]);

/** Operations that only return what the node subgraph remembers: the reports of health. A longer wait for them is of no use. */
const REPORTS: ReadonlySet<string> = new Set(["node-health", "node-readiness", "node-liveness"]);

export interface CallOptions {
  /** True if the server hides health reports from its callers. Liveness then also needs the graph, which decides that. */
  readonly isPublic: boolean;
  /** How long health reports wait for the graph. */
  readonly probeLimitMs: number;
}

/** Prepares an operation of `operations/`. */
export function prepareCall(graph: GraphClient, operation: string, options: CallOptions): GraphCall {
  const source = loadOperation(operation);
  const run = graph.prepare(source.document);
  const fallback = options.isPublic ? undefined : WITHOUT_GRAPH[operation];
  const asked = REPORTS.has(operation) ? { part: "the node subgraph", limitMs: options.probeLimitMs } : null;
  return {
    source,
    run: asked ? (...args) => report(asked, run, ...args) : run,
    bodyOf({ data, errors }) {
      const failure = errors?.[0] && failureOf(errors[0]);
      if (fallback && failure && UNAVAILABLE.has(failure.code)) return fallback;
      if (failure) throw failure;
      return data?.["body"] as Body;
    },
  };
}

/** Runs the operation of a health report. Its result has the error `UNAVAILABLE` if the node subgraph does not answer in time. */
function report(asked: Asked, run: Operation, ...[variables, info]: Parameters<Operation>): Promise<ExecutionResult> {
  return runWithin(asked, info.requestId, (limited) => run(variables, { ...info, ...limited })).catch(
    (error: unknown) => ({ errors: [graphQLErrorOf(error)] }),
  );
}
