/** Blocks `from` to `to`, both included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

export const EVERY_BLOCK: BlockRange = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** The numbers of the blocks, in ascending order. */
export function blockNumbers({ from, to }: BlockRange): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/** Ascending block numbers as the fewest ranges that hold them. */
export function rangesOf(numbers: readonly number[]): BlockRange[] {
  const ranges: { from: number; to: number }[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last.to === number - 1) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  return ranges;
}

export function isInRanges(ranges: readonly BlockRange[], number: number): boolean {
  return ranges.some(({ from, to }) => from <= number && number <= to);
}
