const CACHE_SIZE = 50_000;

/** Wraps a pure function of a string in a cache of up to 50,000 results. A full cache is emptied. Callers share the results. */
export function cached<Result extends string | readonly string[]>(
  format: (text: string) => Result,
): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    const found = results.get(text);
    if (found !== undefined) return found;
    const result = format(text);
    // To find the oldest entry, a Map searches the places of all entries that were deleted before: 20 microseconds.
    if (results.size >= CACHE_SIZE) results.clear();
    // A part of a longer text would keep all of it in memory.
    results.set(Buffer.from(text).toString(), result);
    return result;
  };
}
