import { type BlockFollower, createBlockFollower } from "./block-iterator.ts";
import type { BlockNotices } from "./notifications.ts";
import type { BlockStore } from "./store.ts";
import type { EvmBlock } from "./types.ts";

const MOST_READS_KEPT = 100;

/** Blocks as they are indexed. Followers that are at the same block share what is read. Disposing ends all followers. */
export interface BlockFeed extends AsyncDisposable {
  /** The blocks that are indexed from now on; see `BlockFollower` for order and reorganisations. */
  follow(chainId: string): Promise<BlockFollower>;
}

export function createBlockFeed(blocks: Pick<BlockStore, "between" | "head">, notices: BlockNotices): BlockFeed {
  const followers = new Set<BlockFollower>();
  const reads = new Map<string, Promise<EvmBlock[]>>();
  const read = (chainId: string) => (from: bigint, to: bigint) => {
    const key = `${chainId} ${from} ${to}`;
    const known = reads.get(key);
    if (known) return known;
    if (reads.size >= MOST_READS_KEPT) reads.clear();
    const reading = blocks.between(chainId, from, to);
    reads.set(key, reading);
    return reading;
  };
  return {
    async follow(chainId) {
      // Watching begins first: a block that is added while the head is read must not wait for the next one.
      let last: bigint | null = null;
      let follower: BlockFollower | null = null;
      const unwatch = notices.watch(chainId, (blockNumber) => {
        // What was read before may have been replaced since.
        reads.clear();
        last = blockNumber;
        follower?.tell(blockNumber);
      });
      const head = await blocks.head(chainId).catch((error: unknown) => {
        unwatch();
        throw error;
      });
      const made = createBlockFollower(head, read(chainId), () => {
        followers.delete(made);
        unwatch();
      });
      followers.add(made);
      follower = made;
      if (last !== null) made.tell(last);
      return made;
    },
    async [Symbol.asyncDispose]() {
      for (const follower of [...followers]) await follower.return?.();
      await notices[Symbol.asyncDispose]();
    },
  };
}
