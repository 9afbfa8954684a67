import type { Operation } from "../operations/types.ts";

/** Gets the states of an operation, each newer than the one before. Gets null if the operation was deleted. */
export type Receive = (operation: Operation | null) => void;

/** Receivers by topic: the id of an operation, or an owner. */
export interface Topics {
  /** Returns a function that removes the receiver. */
  add(topic: string, receive: Receive): () => void;
  send(topic: string, operation: Operation | null): void;
  has(topic: string): boolean;
  names(): string[];
}

export function createTopics(): Topics {
  const topics = new Map<string, Set<Receive>>();
  return {
    add(topic, receive) {
      const receivers = topics.get(topic) ?? new Set();
      topics.set(topic, receivers.add(receive));
      return () => {
        receivers.delete(receive);
        if (receivers.size === 0 && topics.get(topic) === receivers) topics.delete(topic);
      };
    },
    send(topic, operation) {
      // A receiver that ends removes itself, which a Set allows while it is iterated.
      for (const receive of topics.get(topic) ?? []) receive(operation);
    },
    has: (topic) => topics.has(topic),
    names: () => [...topics.keys()],
  };
}
