import type { ReadAccount } from "./account-node.ts";

const MAX_CACHED = 10_000;

/**
 * Caches what `read` returns: at most `maxCached` values (default: 10,000). Equal requests call the node once while the value
 * is cached. Errors are not cached. The key contains the block's hash, so a value from before a reorganisation is not returned
 * after it.
 */
export function cachedByBlock<Value>(read: ReadAccount<Value>, maxCached = MAX_CACHED): ReadAccount<Value> {
  const cache = new Map<string, Promise<Value>>();
  return (chain, block, address) => {
    const key = `${chain.chainId} ${block.blockHash} ${address}`;
    const cached = cache.get(key);
    const answer = cached ?? read(chain, block, address);
    // Setting the key again moves it to the end: the first key of the map is the least recently used.
    cache.delete(key);
    cache.set(key, answer);
    if (!cached) answer.catch(() => cache.get(key) === answer && cache.delete(key));
    if (cache.size > maxCached) deleteFirst(cache);
    return answer;
  };
}

function deleteFirst(cache: Map<string, unknown>): void {
  const [first] = cache.keys();
  if (first !== undefined) cache.delete(first);
}
