import type { Comparison } from "./answers.ts";
import type { Indexing } from "./indexing.ts";

/** A row of a table. */
export type Line = readonly string[];

const count = (value: number): string => Math.round(value).toLocaleString("en");

/**
 * Rows for the comparison with hand-written servers. A ratio is the median of all rounds; above 1, Moraine is faster. A server is busy for a part of
 * the time, in percent of one core: the rest of the time, it waits for its database or for requests.
 */
export function answerLines(comparisons: readonly Comparison[]): Line[] {
  const header = [
    "endpoint",
    "server",
    "requests/s",
    "ratio",
    "lowest-highest ratio",
    "CPU ms/request",
    "CPU ratio",
    "busy %",
    "PostgreSQL ms",
  ];
  const rows = comparisons.flatMap(({ name, figures }) =>
    figures.map((one, at) => [
      at === 0 ? name : "",
      one.name,
      count(one.requestsPerSecond),
      one.ratio.toFixed(2),
      `${one.worst.toFixed(2)}-${one.best.toFixed(2)}`,
      one.cpuMs.toFixed(3),
      one.cpuRatio.toFixed(2),
      Math.round((one.requestsPerSecond * one.cpuMs) / 10).toString(),
      Number.isNaN(one.databaseMs) ? "" : one.databaseMs.toFixed(3),
    ]),
  );
  return [header, ...rows];
}

/** Rows for indexing speed. An event is a transaction, a log, a transfer, an internal transaction or a deployment. */
export function indexingLines(measured: readonly Indexing[]): Line[] {
  const header = [
    "chain",
    "blocks read from",
    "blocks/s",
    "events/s",
    "indexer CPU ms/block",
    "PostgreSQL CPU ms/block",
    "stored bytes/block",
    "% of JSON size",
  ];
  const rows = measured.flatMap((one) => {
    const rates = ({ blocksPerSecond, indexerMs, postgresMs }: Indexing["backfill"]) => [
      count(blocksPerSecond),
      count(blocksPerSecond * one.eventsPerBlock),
      indexerMs.toFixed(2),
      postgresMs.toFixed(2),
    ];
    const share = `${((100 * one.storedBytesPerBlock) / one.rawBytesPerBlock).toFixed(0)}`;
    return [
      [one.name, "node", ...rates(one.backfill), count(one.storedBytesPerBlock), share],
      ["", "raw blocks", ...rates(one.replay)],
    ];
  });
  return [header, ...rows];
}

/** Prints the lines as a table. The first two columns are aligned to the left, the others to the right. */
export function printTable(lines: readonly Line[]): void {
  const widths: number[] = [];
  for (const line of lines)
    for (const [at, cell] of line.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  for (const line of lines) {
    const cells = line.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
    console.log(cells.join("  ").trimEnd());
  }
}
