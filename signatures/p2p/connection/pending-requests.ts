import { randomInt } from "node:crypto";

/** The answer to one request. */
export type Reply =
  | { readonly kind: "response"; readonly bytes: Uint8Array }
  | { readonly kind: "error"; readonly code: number; readonly message: string }
  | { readonly kind: "closed"; readonly reason: string };

export type OnReply = (reply: Reply) => void;

/** The requests on one connection that have no answer yet. */
export interface PendingRequests {
  readonly size: number;
  /** Adds a request and returns its id, which is odd: C-Chain and L1s do not answer even ids. */
  add(chainId: Uint8Array, onReply: OnReply): number;
  /** Forgets a request. Its reply is ignored from now on. */
  remove(requestId: number): void;
  /** Gives a reply to its request and forgets the request. False if no request with this id and chain is pending. */
  settle(requestId: number, chainId: Uint8Array, reply: Reply): boolean;
  /** Gives the same reply to every request. */
  settleAll(reply: Reply): void;
}

const ID_LIMIT = 2 ** 32;

/** `firstId`, which is odd, is random unless a test chooses it. Ids count up by two and start again at 1. */
export function createPendingRequests(firstId = 2 * randomInt(ID_LIMIT / 2) + 1): PendingRequests {
  const pending = new Map<number, { readonly chainId: Uint8Array; readonly onReply: OnReply }>();
  let nextId = firstId;
  const takeId = (): number => {
    while (pending.has(nextId)) nextId = (nextId + 2) % ID_LIMIT;
    const id = nextId;
    nextId = (nextId + 2) % ID_LIMIT;
    return id;
  };
  return {
    get size() {
      return pending.size;
    },
    add(chainId, onReply) {
      const id = takeId();
      pending.set(id, { chainId, onReply });
      return id;
    },
    remove(requestId) {
      pending.delete(requestId);
    },
    settle(requestId, chainId, reply) {
      const request = pending.get(requestId);
      if (!request || Buffer.compare(request.chainId, chainId) !== 0) return false;
      pending.delete(requestId);
      request.onReply(reply);
      return true;
    },
    settleAll(reply) {
      const requests = [...pending.values()];
      pending.clear();
      for (const { onReply } of requests) onReply(reply);
    },
  };
}
