import type { Race } from "./answers.ts";
import type { Indexing } from "./indexing.ts";

/** A row of a table. */
export type Line = readonly string[];

const count = (value: number): string => Math.round(value).toLocaleString("en");

/** Ratios are medians of the rounds; above 1 Moraine does better than the hand-written server. */
export function answerLines(races: readonly Race[]): Line[] {
  const header = ["answers", "", "requests/s", "ratio", "least-most", "CPU ms/request", "ratio"];
  const rows = races.flatMap(({ name, standings }) =>
    standings.map((standing, at) => [
      at === 0 ? name : "",
      standing.name,
      count(standing.requestsPerSecond),
      standing.ratio.toFixed(2),
      `${standing.worst.toFixed(2)}-${standing.best.toFixed(2)}`,
      standing.cpuMs.toFixed(3),
      standing.cpuRatio.toFixed(2),
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
