import type { Race } from "./answers.ts";

/** A row of the table. */
export type Line = readonly string[];

const count = (value: number): string => Math.round(value).toLocaleString("en");

export function answerLines(races: readonly Race[]): Line[] {
  const header = ["", "", "requests/s", "ratio", "rounds", "CPU ms/request", "ratio"];
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
