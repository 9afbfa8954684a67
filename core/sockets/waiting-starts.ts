/**
 * The messages of a WebSocket that start operations. While as many operations as may start at the same time have no outcome, further messages
 * wait as text: an operation that waits after graphql-ws has begun to handle it takes 6 kB.
 */
export interface WaitingStarts {
  /** Messages that wait. */
  readonly size: number;
  /** UTF-16 code units of all of them. */
  readonly bytes: number;
  has(id: string): boolean;
  /** Counts an operation, and returns false if its message is handled now, as that of one that is refused. Otherwise, it is handled later. */
  mustWait(id: string, text: string, isRefused: boolean): boolean;
  /** To be called when a counted operation has its outcome, or is refused. */
  ended(): void;
  /** Forgets a message whose operation the client does not want any more. */
  remove(id: string): void;
  /** Forgets all, because the connection has closed. */
  clear(): void;
}

/** `limit` operations start at the same time. `handle` is called with the text of a message that has waited. */
export function createWaitingStarts(limit: number, handle: (text: string) => void): WaitingStarts {
  const waiting = new Map<string, string>();
  let bytes = 0;
  let starting = 0;
  const remove = (id: string): void => {
    bytes -= waiting.get(id)?.length ?? 0;
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
    mustWait(id, text, isRefused) {
      if (isRefused || starting < limit) {
        starting++;
        return false;
      }
      waiting.set(id, text);
      bytes += text.length;
      return true;
    },
    ended() {
      const [next] = waiting;
      if (!next || starting > limit) {
        starting--;
        return;
      }
      const [id, text] = next;
      remove(id);
      handle(text);
    },
    remove,
    clear() {
      waiting.clear();
      bytes = 0;
    },
  };
}
