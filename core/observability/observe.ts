import type { IncomingMessage } from "node:http";
import type { GraphQLObjectType, GraphQLSchema, OperationTypeNode } from "graphql";
import type pg from "pg";
import { type HistogramCell, histogramOf, isRecording, readGauge } from "./registry.ts";

/** What a span describes. */
export type SpanKind = "request" | "operation" | "subgraph" | "resolver" | "loader" | "statement";

/** Only names and numbers of ours: never values of variables, keys, tokens or addresses of callers. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** The ids of a span, under the names that OpenTelemetry gives them in log lines. */
export interface TraceIds {
  readonly trace_id: string;
  readonly span_id: string;
}

export interface Tracing extends AsyncDisposable {
  inSpan<Result>(kind: SpanKind, name: string, run: () => Result, attributes?: SpanAttributes): Result;
  /** Runs the handler of a request in a span below that of the caller. `end` is called when the response has ended. */
  inRequestSpan(request: IncomingMessage, run: (end: EndRequestSpan) => void): void;
  headers(): TraceHeaders;
  current(): TraceIds | undefined;
}

export type EndRequestSpan = (name: string, attributes: SpanAttributes) => void;
export type TraceHeaders = Readonly<Record<string, string>>;

const NO_HEADERS: TraceHeaders = {};

/** One for each process. Null if traces are off. */
let tracing: Tracing | null = null;

/** Switches traces on, or off with null. */
export function useTracing(next: Tracing | null): void {
  tracing = next;
}

export function currentTracing(): Tracing | null {
  return tracing;
}

/** Runs work in a span, which ends when the returned promise settles. Without traces, only runs it. */
export function inSpan<Result>(kind: SpanKind, name: string, run: () => Result, attributes?: SpanAttributes): Result {
  return tracing === null ? run() : tracing.inSpan(kind, name, run, attributes);
}

/** Headers that make the spans of another process part of the current trace: `traceparent`, and `tracestate` if there is one. */
export function traceHeaders(): TraceHeaders {
  return tracing === null ? NO_HEADERS : tracing.headers();
}

/** The ids of the current span; undefined without one. */
export function currentTrace(): TraceIds | undefined {
  return tracing?.current();
}

/** Series of successful and failed work. */
interface OutcomeCells {
  readonly ok: HistogramCell;
  readonly error: HistogramCell;
}

/** Makes both series. */
function outcomeCells(make: (outcome: "ok" | "error") => HistogramCell): OutcomeCells {
  return { ok: make("ok"), error: make("error") };
}

const never = (): boolean => false;

/** Records how long the work takes. Work that returns no promise stays synchronous. */
function timed<Result>(
  { ok, error: failed }: OutcomeCells,
  run: () => Result,
  isFailed: (value: unknown) => boolean = never,
): Result {
  if (!isRecording()) return run();
  const startedAt = performance.now();
  return withEnd(run, isFailed, (hasFailed) => {
    (hasFailed ? failed : ok).observe((performance.now() - startedAt) / 1_000);
  });
}

/**
 * Calls `end` when the work has ended, and returns what the work returns. `isFailed` decides about a value; work that throws or rejects
 * has failed.
 */
export function withEnd<Result>(
  run: () => Result,
  isFailed: (value: unknown) => boolean,
  end: (hasFailed: boolean) => void,
): Result {
  let result: Result;
  try {
    result = run();
  } catch (error) {
    end(true);
    throw error;
  }
  if (result instanceof Promise)
    result.then(
      (value: unknown) => end(isFailed(value)),
      () => end(true),
    );
  else end(isFailed(result));
  return result;
}

/** True for a GraphQL result with errors. */
export function hasErrors(value: unknown): boolean {
  return typeof value === "object" && value !== null && "errors" in value && Boolean(value.errors);
}

/** True if work is measured or traced. */
export function isObserving(): boolean {
  return isRecording() || currentTracing() !== null;
}

/** Runs operations of one name, measured and traced. */
export type ObserveOperation = <Result>(run: () => Result) => Result;

/** The name under which all operations of callers count. */
export const OTHER_OPERATIONS = "other";

/** `operation` is a name from Moraine itself or from its settings. A name that a caller chooses would create a new series. */
export function observeOperation(operation: string, type: `${OperationTypeNode}`): ObserveOperation {
  const cells = outcomeCells((outcome) => histogramOf("operationDuration", { operation, type, outcome }));
  const attributes = { "graphql.operation.type": type };
  return (run) => {
    if (currentTracing() === null) return timed(cells, run, hasErrors);
    return timed(cells, () => inSpan("operation", operation, run, attributes), hasErrors);
  };
}

/**
 * Measures and traces the resolvers of all root fields of queries and mutations, `_entities` included. Call it once, after the
 * schema is complete.
 */
export function observeRootFields(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) if (type) observeFieldsOf(type);
}

function observeFieldsOf(type: GraphQLObjectType): void {
  for (const field of Object.values(type.getFields())) {
    const { resolve } = field;
    if (!resolve || field.name === "_service") continue;
    const name = `${type.name}.${field.name}`;
    const cells = outcomeCells((outcome) => histogramOf("resolverDuration", { field: name, outcome }));
    field.resolve = (root, args, context, info) => {
      if (!isObserving()) return resolve(root, args, context, info);
      return timed(cells, () => inSpan("resolver", name, () => resolve(root, args, context, info)));
    };
  }
}

/** Runs a prepared statement. Rejects with what `errorOf` makes of its error. */
export type RunStatement = <Row>(run: () => Promise<Row>, errorOf: (error: unknown) => unknown) => Promise<Row>;

/** Measures and traces a prepared statement by its name. The values of its parameters are not recorded. */
export function observeStatement(statement: string): RunStatement {
  const { ok, error: failed } = outcomeCells((outcome) => histogramOf("statementDuration", { statement, outcome }));
  // One promise for all: a page waits for several statements.
  return async (run, errorOf) => {
    const startedAt = isRecording() ? performance.now() : 0;
    let outcome = failed;
    try {
      const result = await (currentTracing() === null ? run() : inSpan("statement", statement, run));
      outcome = ok;
      return result;
    } catch (error) {
      throw errorOf(error);
    } finally {
      if (isRecording()) outcome.observe((performance.now() - startedAt) / 1_000);
    }
  };
}

const batchSizes = new Map<string, HistogramCell>();

/** Runs the read of a loader for a batch of keys. Loaders are made for each request, so their series are found by name. */
export function observeBatch<Result>(loader: string, size: number, run: () => Promise<Result>): Promise<Result> {
  if (!isObserving()) return run();
  const cell = batchSizes.get(loader) ?? histogramOf("loaderBatchSize", { loader });
  batchSizes.set(loader, cell);
  cell.observe(size);
  return inSpan("loader", loader, run, { "moraine.batch_size": size });
}

/** Reports the connections of a pool until the result is disposed. Pools with the same name are added up. */
export function observePool(name: string, pool: pg.Pool): Disposable {
  const labels = { pool: name };
  const reports = [
    readGauge("poolConnections", () => [
      { labels: { ...labels, state: "busy" }, value: pool.totalCount - pool.idleCount },
      { labels: { ...labels, state: "idle" }, value: pool.idleCount },
    ]),
    readGauge("poolSize", () => [{ labels, value: pool.ended ? 0 : pool.options.max }]),
    readGauge("poolWaiting", () => [{ labels, value: pool.waitingCount }]),
  ];
  return {
    [Symbol.dispose]() {
      for (const report of reports) report[Symbol.dispose]();
    },
  };
}

/** Reports whether requests are read from a replica, and how far it is behind. */
export function observeReplica(
  name: string,
  stateOf: () => { readonly lagSeconds: number | null; readonly reason: string | null },
): Disposable {
  const labels = { replica: name };
  const reports = [
    readGauge("replicaUsed", () => [{ labels, value: stateOf().reason === null ? 1 : 0 }]),
    readGauge("replicaLag", () => {
      const { lagSeconds } = stateOf();
      return lagSeconds === null ? [] : [{ labels, value: lagSeconds }];
    }),
  ];
  return {
    [Symbol.dispose]() {
      for (const report of reports) report[Symbol.dispose]();
    },
  };
}
