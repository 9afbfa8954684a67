import type { BlockRange } from "../../block-range.ts";
import type { Gap, GapsFound } from "../../compare/gap.ts";

/** The output of `moraine gaps`, and whether no gap is left. */
export interface GapsReport {
  readonly text: string;
  readonly isComplete: boolean;
}

/** One line per run of consecutive blocks with gaps in the same table, and lines about what to do. */
export function gapsReport({ gaps, traces, untraced }: GapsFound, repair: boolean, chainId: string): GapsReport {
  const left = gaps.filter(({ isRepaired }) => !isRepaired);
  const isRefused = repair && left.some(({ table }) => table === "raw_traces");
  const lines = [...new Set(gaps.map(({ table }) => table))].flatMap((table) =>
    tableLines(
      table,
      gaps.filter((gap) => gap.table === table),
    ),
  );
  const text = [
    ...lines,
    ...(gaps.length === 0 ? ["nothing is missing"] : []),
    ...(left.length === 0 && gaps.length > 0 ? ["all of this was repaired"] : []),
    ...(isRefused
      ? ["everything except raw_traces was repaired: these call trees cannot be fetched and are recorded as missing"]
      : []),
    ...(left.length > 0 && !repair ? [`\`moraine gaps --chain ${chainId} --repair\` repairs this`] : []),
    ...(traces && !traces.isOn ? [`the chain has no call trees: ${traces.reason}`] : []),
    ...(traces?.isOn ? untraced.map((range) => untracedLine(range, traces.reason, chainId)) : []),
  ];
  return { text: text.join("\n"), isComplete: left.length === 0 };
}

function tableLines(table: string, gaps: readonly Gap[]): string[] {
  const groups: { from: number | null; to: number | null; expected: number; found: number; wrong: number }[] = [];
  for (const gap of gaps.toSorted((one, other) => Number(one.blockNumber) - Number(other.blockNumber))) {
    const { blockNumber, expected, found, wrong } = gap;
    const last = groups.at(-1);
    const isNext = last && blockNumber !== null && last.to === blockNumber - 1;
    if (!isNext) groups.push({ from: blockNumber, to: blockNumber, expected, found, wrong });
    else {
      last.to = blockNumber;
      last.expected += expected;
      last.found += found;
      last.wrong += wrong;
    }
  }
  return groups.map(({ from, to, expected, found, wrong }) => {
    const wrongRows = wrong > 0 ? `, ${wrong} of them wrong` : "";
    const place = from === null || to === null ? "all blocks" : blocksText(from, to);
    return `${place}: ${table} has ${found} rows of ${expected}${wrongRows}`;
  });
}

function untracedLine({ from, to }: BlockRange, reason: string | null, chainId: string): string {
  const why = reason ? ` (${reason})` : "";
  const remedy = `\`moraine backfill traces --chain ${chainId}\` fetches them`;
  return `${blocksText(from, to)}: indexed without call trees${why}; ${remedy}`;
}

const blocksText = (from: number, to: number): string => (from === to ? `block ${from}` : `blocks ${from} to ${to}`);
