import type pg from "pg";
import { isObserving } from "./observe-graph.ts";
import { outcomeCells, timed } from "./outcomes.ts";
import { type HistogramCell, histogramOf, readGauge } from "./registry.ts";
import { currentTracing, inSpan } from "./tracing.ts";

/** Runs a prepared statement, measured and traced by its name. The values of its parameters are not recorded. */
export function observeStatement(statement: string): <Row>(run: () => Promise<Row>) => Promise<Row> {
  const cells = outcomeCells((outcome) => histogramOf("statementDuration", { statement, outcome }));
  return (run) => timed(cells, currentTracing() === null ? run : () => inSpan("statement", statement, run));
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
