import { Failure } from "../../../core/errors.ts";
import type { BlockHead } from "./store.ts";
import type { EvmBlock } from "./types.ts";

const PAGE_SIZE = 100n;
const MOST_BEHIND = 1_000n;
const REMEMBERED = 256;

/** Blocks `from` to `to`, both included, in ascending order. */
export type ReadBlocks = (from: bigint, to: bigint) => Promise<EvmBlock[]>;

/**
 * The blocks after a first one, as they come: in order, each once. When a reorganisation replaces blocks that were given
 * out, those that replace them follow, from the first that differs. Who is slower than the chain by more than 1,000
 * blocks misses the oldest of them; never more than a page of blocks is held.
 */
export interface BlockFollower extends AsyncIterableIterator<EvmBlock> {
  /** Says up to which block there is something to read; cheap, and harmless when said again. */
  tell(blockNumber: bigint): void;
}

/** `head` is the block to begin after; `ended` is called once, when nobody reads any more. */
export function createBlockFollower(head: BlockHead | null, read: ReadBlocks, ended: () => void): BlockFollower {
  const given = createGivenBlocks(head);
  let page: EvmBlock[] = [];
  let told: bigint | null = null;
  let goal = -1n;
  let cursor = given.last() + 1n;
  let isOpen = true;
  let wake = () => {};

  const takeGoal = (blockNumber: bigint) => {
    told = null;
    goal = blockNumber;
    cursor = goal <= given.last() ? given.oldest() : given.last() + 1n;
    if (goal - cursor >= MOST_BEHIND) cursor = goal - MOST_BEHIND + 1n;
  };

  /** The next blocks that are new to the reader; empty when there are none now. */
  const readOn = async (): Promise<EvmBlock[]> => {
    for (;;) {
      if (told !== null) takeGoal(told);
      if (cursor > goal) return [];
      const to = cursor + PAGE_SIZE - 1n < goal ? cursor + PAGE_SIZE - 1n : goal;
      const blocks = await read(cursor, to);
      const [first] = blocks;
      if (!first) goal = -1n;
      else if (given.contradicts(first)) cursor = given.oldest();
      else {
        cursor = to + 1n;
        const fresh = blocks.filter((block) => !given.has(block));
        if (fresh.length > 0) return fresh;
      }
    }
  };

  const follower: BlockFollower = {
    [Symbol.asyncIterator]: () => follower,
    tell(blockNumber) {
      told = blockNumber;
      wake();
    },
    async next() {
      while (isOpen) {
        const block = page.shift();
        if (block) {
          given.add(block);
          return { done: false, value: block };
        }
        const woken = new Promise<void>((done) => {
          wake = done;
        });
        page = await readOn().catch(waitWhileAway);
        if (page.length === 0 && isOpen) await woken;
      }
      return { done: true, value: undefined };
    },
    async return() {
      if (isOpen) ended();
      isOpen = false;
      wake();
      return { done: true, value: undefined };
    },
  };
  return follower;
}

/** The database tells its head when it is back, and with that the reading goes on. */
function waitWhileAway(error: unknown): EvmBlock[] {
  if (error instanceof Failure && error.code === "UNAVAILABLE") return [];
  throw error;
}

/** Hashes of the blocks given out last, by number without a gap below the last. */
function createGivenBlocks(head: BlockHead | null) {
  const hashes = new Map<bigint, string>();
  let last = -1n;
  const add = ({ blockNumber, blockHash }: Pick<EvmBlock, "blockNumber" | "blockHash">) => {
    const number = BigInt(blockNumber);
    for (let replaced = number; replaced <= last; replaced++) hashes.delete(replaced);
    if (!hashes.has(number - 1n)) hashes.clear();
    hashes.set(number, blockHash);
    hashes.delete(number - BigInt(REMEMBERED));
    last = number;
  };
  if (head) add(head);
  return {
    add,
    last: () => last,
    oldest: () => hashes.keys().next().value ?? last + 1n,
    has: (block: EvmBlock) => hashes.get(BigInt(block.blockNumber)) === block.blockHash,
    /** True when the block does not stand on the one given out before it, so that some of those were replaced. */
    contradicts: ({ blockNumber, parentHash }: EvmBlock) => {
      const parent = hashes.get(BigInt(blockNumber) - 1n);
      return parent !== undefined && parent !== parentHash;
    },
  };
}
