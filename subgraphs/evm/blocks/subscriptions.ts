import { LRUCache } from "lru-cache";
import { SERVICE_WORK, type Work } from "../../../core/work/work.ts";
import { type BlockIterator, createBlockIterator } from "./block-iterator.ts";
import type { BlockNotifications } from "./notifications.ts";
import type { BlockStore } from "./store.ts";
import type { EvmBlock } from "./types.ts";

const MAX_CACHED_READS = 100;

/** Subscriptions to the blocks of chains. Disposing ends all subscriptions and closes the connection for notifications. */
export interface BlockSubscriptions extends AsyncDisposable {
  /** Returns the blocks that are indexed from now on. `BlockIterator` has the rules on order and reorganisations. */
  subscribe(chainId: string, work: Work): Promise<BlockIterator>;
}

/** Subscriptions that are at the same block share their reads of the database. */
export function createBlockSubscriptions(
  blocks: Pick<BlockStore, "between" | "head">,
  notifications: BlockNotifications,
): BlockSubscriptions {
  const iterators = new Set<BlockIterator>();
  const reads = new LRUCache<string, Promise<EvmBlock[]>>({ max: MAX_CACHED_READS });
  const read = (chainId: string) => (from: bigint, to: bigint) => {
    const key = `${chainId} ${from} ${to}`;
    const cached = reads.get(key);
    if (cached) return cached;
    const reading = blocks.between(chainId, from, to, SERVICE_WORK);
    reads.set(key, reading);
    // The next attempt must read again.
    reading.catch(() => reads.get(key) === reading && reads.delete(key));
    return reading;
  };
  return {
    async subscribe(chainId, work) {
      // Listen before reading the head: a block that is added in between must not wait for the next notification.
      let last: bigint | null = null;
      let iterator: BlockIterator | null = null;
      const unlisten = notifications.listen(chainId, (blockNumber) => {
        // A reorganisation may have replaced the blocks of earlier reads.
        reads.clear();
        last = blockNumber;
        iterator?.notify(blockNumber);
      });
      const head = await blocks.head(chainId, work).catch((error: unknown) => {
        unlisten();
        throw error;
      });
      const created = createBlockIterator(head, read(chainId), () => {
        iterators.delete(created);
        unlisten();
      });
      iterators.add(created);
      iterator = created;
      if (last !== null) created.notify(last);
      return created;
    },
    async [Symbol.asyncDispose]() {
      for (const iterator of [...iterators]) await iterator.return?.();
      await notifications[Symbol.asyncDispose]();
    },
  };
}
