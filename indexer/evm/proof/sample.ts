import { type BlockRange, rangesOf } from "../block-range.ts";

/** Number of consecutive blocks that are compared together. */
const RUN = 4;

export interface SampleOptions {
  /** The last indexed block. */
  readonly head: number;
  /** The last block of the previous comparison; -1 if there was none. */
  readonly previous: number;
  /** Blocks that differed in the previous comparison. */
  readonly repeated: readonly number[];
  /** A number from 0 up to, but without, 1. */
  readonly random: () => number;
}

/**
 * The blocks that are compared, as ascending ranges: the newest ones, a random run of those that are new since the previous comparison, a
 * random run of older ones, and those that differed before. At most 12 blocks besides the repeated ones.
 */
export function sampleBlocks({ head, previous, repeated, random }: SampleOptions): BlockRange[] {
  const newest = Math.max(0, head - RUN + 1);
  const runs = [
    { from: newest, to: head },
    randomRun({ from: previous + 1, to: newest - 1 }, random),
    randomRun({ from: 0, to: Math.min(previous, newest - 1) }, random),
    ...repeated.map((number) => ({ from: number, to: number })),
  ];
  const numbers = runs.flatMap((run) => (run ? numbersIn(run, head) : []));
  return rangesOf([...new Set(numbers)].sort((one, other) => one - other));
}

/** Null if the range has no block. */
function randomRun({ from, to }: BlockRange, random: () => number): BlockRange | null {
  if (to < from) return null;
  const starts = Math.max(1, to - from - RUN + 2);
  const start = from + Math.floor(random() * starts);
  return { from: start, to: Math.min(to, start + RUN - 1) };
}

function numbersIn({ from, to }: BlockRange, head: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((number) => number <= head);
}

/** Up to `count` of the items, in random order. */
export function someOf<Item>(items: readonly Item[], count: number, random: () => number): Item[] {
  const left = [...items];
  const chosen: Item[] = [];
  while (left.length > 0 && chosen.length < count) {
    const [item] = left.splice(Math.floor(random() * left.length), 1);
    if (item !== undefined) chosen.push(item);
  }
  return chosen;
}
