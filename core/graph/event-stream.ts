/** `Cache-Control` of event streams. `no-transform` forbids proxies to compress them, because that would hold events back. */
export const EVENT_STREAM_CACHING = "no-store, no-transform";

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

/** What a function makes of each event. Ends the source if the function fails. */
export function mapEvents<In, Out>(
  events: AsyncIterable<In>,
  change: (event: In) => Out | Promise<Out>,
): AsyncIterableIterator<Out, void> {
  return eventsFrom<In, Out>(events, async (source) => {
    const { done, value } = await source.next();
    return done ? { done, value: undefined } : { done: false, value: await change(value) };
  });
}

/** The same events. If the source throws, the last one is what `failed` returns: what is thrown would reach clients as it is. */
export function eventsUntilFailure<Event>(
  events: AsyncIterable<Event>,
  failed: (thrown: unknown) => Event,
): AsyncIterableIterator<Event, void> {
  let hasFailed = false;
  return eventsFrom<Event, Event>(events, async (source) => {
    if (hasFailed) return { done: true, value: undefined };
    try {
      return await source.next();
    } catch (thrown) {
      hasFailed = true;
      await source.return?.().catch(() => {});
      return { done: false, value: failed(thrown) };
    }
  });
}
