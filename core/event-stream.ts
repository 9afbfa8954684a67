/** True for the events of a subscription, false for a single result. */
export function isEventStream(outcome: unknown): outcome is AsyncIterable<unknown> {
  return typeof outcome === "object" && outcome !== null && Symbol.asyncIterator in outcome;
}

/**
 * Events that `next` makes from those of a source. Ends the source if `next` fails. Not an async generator, which could not end while it
 * waits for an event.
 */
export function eventsFrom<In, Out>(
  events: AsyncIterable<In>,
  next: (source: AsyncIterator<In>) => Promise<IteratorResult<Out, void>>,
): AsyncIterableIterator<Out, void> {
  const source = events[Symbol.asyncIterator]();
  const end = async (): Promise<IteratorResult<Out, void>> => {
    await source.return?.();
    return { done: true, value: undefined };
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        return await next(source);
      } catch (error) {
        await end().catch(() => {});
        throw error;
      }
    },
    return: end,
  };
}
