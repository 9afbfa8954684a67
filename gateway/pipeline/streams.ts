/** True for the events of a subscription, false for a single result. */
export function isStream(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === "object" && result !== null && Symbol.asyncIterator in result;
}
