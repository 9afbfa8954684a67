import type { Comparison } from "./answers.ts";
import type { Indexing } from "./indexing.ts";

/** A row of a table. */
export type Line = readonly string[];

const count = (value: number): string => Math.round(value).toLocaleString("en");

/** Ratios are medians of the rounds. Above 1, the candidate is faster than the hand-written server. */
export function answerLines(comparisons: readonly Comparison[]): Line[] {
  const header = ["answers", "", "requests/s", "ratio", "least-most", "CPU ms/request", "ratio"];
  const rows = comparisons.flatMap(({ name, figures }) =>
    figures.map((one, at) => [
      at === 0 ? name : "",
      one.name,
      count(one.requestsPerSecond),
      one.ratio.toFixed(2),
      `${one.worst.toFixed(2)}-${one.best.toFixed(2)}`,
      one.cpuMs.toFixed(3),
      one.cpuRatio.toFixed(2),
    ]),
  );
  return [header, ...rows];
}

/** An event is a transaction, a log, a transfer, an internal transaction or a deployment. */
export function indexingLines(measured: readonly Indexing[]): Line[] {
  const header = ["indexing", "", "blocks/s", "events/s", "stored bytes/block", "of the node's JSON"];
  const rows = measured.flatMap((one) => {
    const rates = (blocksPerSecond: number) => [count(blocksPerSecond), count(blocksPerSecond * one.eventsPerBlock)];
    const share = `${((100 * one.storedBytesPerBlock) / one.rawBytesPerBlock).toFixed(0)} %`;
    return [
      [one.name, "from a node", ...rates(one.backfillBlocksPerSecond), count(one.storedBytesPerBlock), share],
      ["", "from the raw store", ...rates(one.replayBlocksPerSecond)],
    ];
  });
  return [header, ...rows];
}

/** Prints the lines with their columns aligned: the first two to the left, figures to the right. */
export function printTable(lines: readonly Line[]): void {
  const widths: number[] = [];
  for (const line of lines)
    for (const [at, cell] of line.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  for (const line of lines) {
    const cells = line.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
    console.log(cells.join("  ").trimEnd());
  }
}
