import type { BlockRange } from "../../store/untraced-ranges.ts";
import type { Found, Gap } from "./find-gaps.ts";

/** What `npm run gaps` prints, and whether there is nothing left to mend. */
export interface GapsReport {
  readonly text: string;
  readonly isWhole: boolean;
}

/** Blocks that follow each other and lack the same are one line. */
export function gapsReport({ gaps, traces, untraced }: Found, repair: boolean, chainId: string): GapsReport {
  const left = gaps.filter(({ isMended }) => !isMended);
  const refused = repair && left.some(({ table }) => table === "raw_traces");
  const lines = [...new Set(gaps.map(({ table }) => table))].flatMap((table) =>
    linesOf(
      table,
      gaps.filter((gap) => gap.table === table),
    ),
  );
  const text = [
    ...lines,
    ...(gaps.length === 0 ? ["nothing is missing"] : []),
    ...(left.length === 0 && gaps.length > 0 ? ["all of this was mended"] : []),
    ...(refused ? ["all but raw_traces was mended: the node does not give these call trees, which are now noted"] : []),
    ...(left.length > 0 && !repair ? [`\`npm run gaps -- --chain ${chainId} --repair\` mends this`] : []),
    ...(traces && !traces.isOn ? [`the chain is without call trees: ${traces.reason}`] : []),
    ...(traces?.isOn ? untraced.map((range) => untracedLine(range, traces.reason, chainId)) : []),
  ];
  return { text: text.join("\n"), isWhole: left.length === 0 };
}

function linesOf(table: string, gaps: readonly Gap[]): string[] {
  const groups: { from: number; to: number; expected: number; found: number; wrong: number }[] = [];
  for (const gap of gaps.toSorted((one, other) => one.blockNumber - other.blockNumber)) {
    const { blockNumber, expected, found, wrong } = gap;
    const last = groups.at(-1);
    if (last?.to !== blockNumber - 1) groups.push({ from: blockNumber, to: blockNumber, expected, found, wrong });
    else {
      last.to = blockNumber;
      last.expected += expected;
      last.found += found;
      last.wrong += wrong;
    }
  }
  return groups.map(({ from, to, expected, found, wrong }) => {
    const others = wrong > 0 ? `, ${wrong} of them wrong` : "";
    return `${blocks(from, to)}: ${table} has ${found} rows of ${expected}${others}`;
  });
}

function untracedLine({ from, to }: BlockRange, reason: string | null, chainId: string): string {
  const why = reason ? ` (${reason})` : "";
  return `${blocks(from, to)} came without call trees${why}: \`npm run backfill -- --chain ${chainId} --capability traces\` brings them`;
}

const blocks = (from: number, to: number): string => (from === to ? `block ${from}` : `blocks ${from} to ${to}`);
