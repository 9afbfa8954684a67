const MOST_RESULTS = 50_000;

/** Wraps a pure function of a string in a cache of that many results. A full cache is emptied. Callers share the results. */
export function cached<Result extends string | number | object>(
  format: (text: string) => Result,
  most = MOST_RESULTS,
): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    const found = results.get(text);
    if (found !== undefined) return found;
    const result = format(text);
    // To find the oldest entry, a Map searches the places of all entries that were deleted before: 20 microseconds.
    if (results.size >= most) results.clear();
    // A part of a longer text would keep all of it in memory.
    results.set(Buffer.from(text).toString(), result);
    return result;
  };
}
