import { curlLine } from "./request.ts";
import type { AttackReport, Violation } from "./run.ts";

export interface ReportOptions {
  readonly url: string;
  readonly seed: number;
  readonly seconds: number;
  /** The memory before and after; empty if the server runs in another process. */
  readonly memory: readonly string[];
  /** Whether answers are printed whole. */
  readonly printsAll: boolean;
}

const MAX_EXAMPLES = 3;
const MAX_TEXT = 300;

/** What was sent and answered, and examples of every rule that was broken. */
export function reportText(report: AttackReport, options: ReportOptions): string {
  const { sent, statuses, unavailable, violations } = report;
  const { seed, seconds, memory } = options;
  const byRule = new Map<string, Violation[]>();
  for (const violation of violations) {
    const rule = `${violation.request.dialect}: ${violation.rule}`;
    byRule.set(rule, [...(byRule.get(rule) ?? []), violation]);
  }
  return [
    `seed ${seed}: ${sent} requests in ${seconds.toFixed(1)} s`,
    ...[...statuses].map(([dialect, counts]) => `${dialect}: ${countsText(counts)}`),
    ...[...unavailable].map(
      ([message, indexes]) =>
        `answered as unavailable ${indexes.length} times, first request ${indexes[0]}: ${message.slice(0, MAX_TEXT)}`,
    ),
    ...(memory.length > 0 ? [`memory before: ${memory[0]}; after: ${memory[1]}`] : []),
    `${violations.length} answers without the documented form`,
    ...[...byRule].flatMap(([rule, broken]) => ["", `${broken.length} × ${rule}`, ...examples(broken, options)]),
  ].join("\n");
}

function countsText(counts: ReadonlyMap<number, number>): string {
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, times]) => `${times} × ${status}`)
    .join(", ");
}

/** Lines for the violations with the shortest requests. */
function examples(violations: readonly Violation[], { url, printsAll }: ReportOptions): string[] {
  const shortest = violations
    .map((violation) => ({ ...violation, line: curlLine(violation.request, url) }))
    .sort((a, b) => a.line.length - b.line.length);
  return shortest
    .slice(0, MAX_EXAMPLES)
    .flatMap(({ index, line, status, text }) => [
      `  request ${index} (--only ${index}): ${line}`,
      `  ${status} ${printsAll ? text : text.slice(0, MAX_TEXT)}`,
    ]);
}
