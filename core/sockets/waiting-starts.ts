/**
 * The messages of a WebSocket that start operations. While as many operations as may start at the same time have no outcome, further messages
 * wait as text: an operation that waits after graphql-ws has begun to handle it takes 6 kB.
 */
export interface WaitingStarts {
  /** Messages that wait. */
  readonly size: number;
  /** Bytes of all of them. */
  readonly bytes: number;
  has(id: string): boolean;
  /** True if the message is kept for later. Otherwise the operation counts as one that starts, until `ended` is called. */
  mustWait(id: string, message: StartMessage): boolean;
  /** To be called when an operation has its outcome. */
  ended(): void;
  /** Forgets a message whose operation the client does not want any more. */
  remove(id: string): void;
  /** Forgets all, because the connection has closed. */
  clear(): void;
}

/** A message that starts an operation. */
export interface StartMessage {
  readonly text: string;
  readonly bytes: number;
}

/** `limit` operations start at the same time. `handle` is called with a message that has waited. */
export function createWaitingStarts(limit: number, handle: (message: StartMessage) => void): WaitingStarts {
  const waiting = new Map<string, StartMessage>();
  let bytes = 0;
  let starting = 0;
  const remove = (id: string): void => {
    bytes -= waiting.get(id)?.bytes ?? 0;
    waiting.delete(id);
  };
  return {
    get size() {
      return waiting.size;
    },
    get bytes() {
      return bytes;
    },
    has: (id) => waiting.has(id),
    mustWait(id, message) {
      if (starting < limit) {
        starting++;
        return false;
      }
      waiting.set(id, message);
      bytes += message.bytes;
      return true;
    },
    ended() {
      const [next] = waiting;
      if (!next) {
        starting--;
        return;
      }
      const [id, message] = next;
      remove(id);
      handle(message);
    },
    remove,
    clear() {
      waiting.clear();
      bytes = 0;
    },
  };
}
