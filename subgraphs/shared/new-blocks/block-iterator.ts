import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../../core/errors/errors.ts";

const PAGE_SIZE = 100n;
/** A reader that is further behind skips blocks. */
export const MAX_BEHIND = 1_000n;
/** Number of hashes of returned blocks that are kept. Reorganisations up to this depth are detected. */
const HASHES_KEPT = 256;
/** Time until the next read after one that failed because the database is not available. */
const RETRY_MS = 1_000;

/** What the iterator must know of a block. Numbers are decimal text. */
export interface LinkedBlock {
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly parentHash: string;
}

/** The block after which an iterator starts. */
export interface StartBlock {
  readonly blockNumber: string;
  /** Null if it is not known: then it is not noticed if a reorganisation replaces the block. */
  readonly blockHash: string | null;
}

/** Reads blocks `from` to `to` (both inclusive) in ascending order. */
export type ReadBlocks<Block> = (from: bigint, to: bigint) => Promise<Block[]>;

/**
 * Iterates over the blocks after a given block as they are indexed: in order, each once. If a reorganisation replaces
 * blocks that were already returned, the new branch follows, from the first block that differs. A reader that falls more
 * than `MAX_BEHIND` blocks behind skips the oldest of them. At most one page of blocks is held in memory.
 */
export interface BlockIterator<Block> extends AsyncIterableIterator<Block> {
  /**
   * Sets the last block that can be read, and returns at once. If a block with this number was already returned, the iterator
   * reads again and looks for a reorganisation.
   */
  notify(blockNumber: bigint): void;
}

/**
 * Starts after block `start`, or at block 0 if `start` is null. `onEnd` is called once: by `return`, or when a read
 * fails for any other reason than a database that is not available.
 */
export function createBlockIterator<Block extends LinkedBlock>(
  start: StartBlock | null,
  read: ReadBlocks<Block>,
  onEnd: () => void,
): BlockIterator<Block> {
  const returned = createReturnedBlocks(start);
  const pages = createPages(returned, read);
  let page: Block[] = [];
  let isOpen = true;
  let wake = () => {};

  const end = () => {
    if (isOpen) onEnd();
    isOpen = false;
    wake();
  };

  /** Returns null if the database is not available at present. Another failure ends the iterator. */
  const readOrFail = async (): Promise<Block[] | null> => {
    try {
      return await pages.next();
    } catch (error) {
      if (error instanceof Failure && error.code === "UNAVAILABLE") return null;
      end();
      throw error;
    }
  };

  const iterator: BlockIterator<Block> = {
    [Symbol.asyncIterator]: () => iterator,
    notify(blockNumber) {
      pages.notify(blockNumber);
      wake();
    },
    async next() {
      while (isOpen) {
        const block = page.shift();
        if (block) {
          returned.add(block);
          return { done: false, value: block };
        }
        const woken = new Promise<void>((done) => {
          wake = done;
        });
        const read = await readOrFail();
        page = read ?? [];
        // The blocks that could not be read may be the last ones for some time.
        if (read === null) await Promise.race([woken, sleep(RETRY_MS, null, { ref: false })]);
        else if (page.length === 0 && isOpen) await woken;
      }
      return { done: true, value: undefined };
    },
    async return() {
      end();
      return { done: true, value: undefined };
    },
  };
  return iterator;
}

/** Reads the pages of blocks up to the last block that `notify` has named. */
function createPages<Block extends LinkedBlock>(returned: ReturnedBlocks, read: ReadBlocks<Block>) {
  let notified: bigint | null = null;
  let target = -1n;
  let from = returned.last() + 1n;

  const setTarget = (blockNumber: bigint) => {
    notified = null;
    target = blockNumber;
    from = target <= returned.last() ? returned.oldest() : returned.last() + 1n;
    if (target - from >= MAX_BEHIND) from = target - MAX_BEHIND + 1n;
  };

  return {
    /** See `BlockIterator`. */
    notify(blockNumber: bigint) {
      notified = blockNumber;
    },
    /** Reads the next page of blocks that were not returned yet; empty if there are none at present. */
    async next(): Promise<Block[]> {
      for (;;) {
        if (notified !== null) setTarget(notified);
        if (from > target) return [];
        const to = from + PAGE_SIZE - 1n < target ? from + PAGE_SIZE - 1n : target;
        const blocks = await read(from, to);
        const [first] = blocks;
        if (!first) target = -1n;
        else if (returned.contradicts(first)) from = returned.oldest();
        else {
          from = to + 1n;
          const unseen = blocks.filter((block) => !returned.has(block));
          if (unseen.length > 0) return unseen;
        }
      }
    },
  };
}

type ReturnedBlocks = ReturnType<typeof createReturnedBlocks>;

/**
 * Hashes of the blocks returned last, whose numbers have no gaps. They are in a list, which takes a sixth of the memory of a map: thousands
 * of subscriptions have one.
 */
function createReturnedBlocks(start: StartBlock | null) {
  let hashes: string[] = [];
  let last = -1n;
  const hashAt = (number: bigint): string | undefined => {
    const behind = last - number;
    return behind < 0n ? undefined : hashes[hashes.length - 1 - Number(behind)];
  };
  const add = ({ blockNumber, blockHash }: Pick<LinkedBlock, "blockNumber" | "blockHash">) => {
    const number = BigInt(blockNumber);
    if (hashAt(number - 1n) === undefined) hashes = [];
    // A reorganisation has replaced those that follow.
    else if (number <= last) hashes.length -= Number(last - number) + 1;
    hashes.push(blockHash);
    if (hashes.length > HASHES_KEPT) hashes.shift();
    last = number;
  };
  if (start?.blockHash) add({ ...start, blockHash: start.blockHash });
  else if (start) last = BigInt(start.blockNumber);
  return {
    add,
    last: () => last,
    oldest: () => last - BigInt(hashes.length) + 1n,
    has: (block: LinkedBlock) => hashAt(BigInt(block.blockNumber)) === block.blockHash,
    /** True if the block's parent is not the block that was returned at that height: a reorganisation replaced it. */
    contradicts: ({ blockNumber, parentHash }: LinkedBlock) => {
      const parent = hashAt(BigInt(blockNumber) - 1n);
      return parent !== undefined && parent !== parentHash;
    },
  };
}
