import type pg from "pg";
import { isObserving } from "./observe-graph.ts";
import { outcomeCells } from "./outcomes.ts";
import { type HistogramCell, histogramOf, isRecording, readGauge } from "./registry.ts";
import { currentTracing, inSpan } from "./tracing.ts";

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
