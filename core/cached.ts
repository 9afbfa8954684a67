const CACHE_SIZE = 50_000;

/** Wraps a pure function of a string in a cache of 50,000 results; the oldest entry is evicted first. */
export function cached(format: (text: string) => string): (text: string) => string {
  const results = new Map<string, string>();
  return (text) => {
    const found = results.get(text);
    if (found !== undefined) return found;
    const result = format(text);
    if (results.size >= CACHE_SIZE) results.delete(results.keys().next().value as string);
    results.set(text, result);
    return result;
  };
}
