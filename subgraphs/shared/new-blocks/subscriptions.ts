import { LRUCache } from "lru-cache";
import { Failure } from "../../../core/errors/errors.ts";
import { SERVICE_WORK, type Work } from "../../../core/work/work.ts";
import {
  type BlockIterator,
  createBlockIterator,
  type LinkedBlock,
  MAX_BEHIND,
  type StartBlock,
} from "./block-iterator.ts";
import type { BlockNotifications } from "./notifications.ts";

const MAX_CACHED_READS = 100;

/** The stored blocks of some chains. A chain is named as in the notifications. */
export interface StoredBlocks<Block> {
  /** Reads blocks `from` to `to` (both inclusive) in ascending order. */
  between(chain: string, from: bigint, to: bigint, work: Work): Promise<Block[]>;
  /** Returns the last indexed block; null if no block is indexed. */
  head(chain: string, work: Work): Promise<StartBlock | null>;
}

/** Subscriptions to the blocks of chains. Disposing ends all subscriptions and closes the connection for notifications. */
export interface BlockSubscriptions<Block> extends AsyncDisposable {
  /**
   * Returns the blocks that are indexed from now on, or those from `fromBlock` on. `BlockIterator` has the rules on order and
   * reorganisations. Throws `INVALID_PARAMETER` if `fromBlock` is 1,000 or more blocks before the last indexed one, or later than the
   * next one.
   */
  subscribe(chain: string, work: Work, fromBlock?: string | null): Promise<BlockIterator<Block>>;
}

/** Subscriptions that are at the same block share their reads of the database. */
export function createBlockSubscriptions<Block extends LinkedBlock>(
  blocks: StoredBlocks<Block>,
  notifications: BlockNotifications,
): BlockSubscriptions<Block> {
  const iterators = new Set<BlockIterator<Block>>();
  const reads = new LRUCache<string, Promise<Block[]>>({ max: MAX_CACHED_READS });
  const read = (chain: string) => (from: bigint, to: bigint) => {
    const key = `${chain} ${from} ${to}`;
    const cached = reads.get(key);
    if (cached) return cached;
    const reading = blocks.between(chain, from, to, SERVICE_WORK);
    reads.set(key, reading);
    // The next attempt must read again.
    reading.catch(() => reads.get(key) === reading && reads.delete(key));
    return reading;
  };
  return {
    async subscribe(chain, work, fromBlock) {
      // Listen before reading the head: a block that is added in between must not wait for the next notification.
      let last: bigint | null = null;
      let iterator: BlockIterator<Block> | null = null;
      const unlisten = notifications.listen(chain, (blockNumber) => {
        // A reorganisation may have replaced the blocks of earlier reads.
        reads.clear();
        last = blockNumber;
        iterator?.notify(blockNumber);
      });
      try {
        const head = await blocks.head(chain, work);
        const created = createBlockIterator(startOf(head, fromBlock ?? null), read(chain), () => {
          iterators.delete(created);
          unlisten();
        });
        iterators.add(created);
        iterator = created;
        if (last !== null) created.notify(last);
        else if (head && fromBlock) created.notify(BigInt(head.blockNumber));
        return created;
      } catch (error) {
        unlisten();
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      for (const iterator of [...iterators]) await iterator.return?.();
      await notifications[Symbol.asyncDispose]();
    },
  };
}

/** The block after which a subscription starts. */
function startOf(head: StartBlock | null, fromBlock: string | null): StartBlock | null {
  if (fromBlock === null) return head;
  const [from, next] = [BigInt(fromBlock), BigInt(head?.blockNumber ?? -1) + 1n];
  const first = next > MAX_BEHIND ? next - MAX_BEHIND : 0n;
  if (from < first || from > next)
    throw new Failure(
      "INVALID_PARAMETER",
      `fromBlock must be from ${first} to ${next}, the ${MAX_BEHIND} last blocks and the next one, got ${from}: read earlier blocks from the list of blocks`,
    );
  return from === 0n ? null : { blockNumber: String(from - 1n), blockHash: null };
}
