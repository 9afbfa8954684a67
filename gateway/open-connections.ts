import type { Config } from "../core/config-schema.ts";
import { Failure } from "../core/errors.ts";
import { createKeyedLimit } from "../core/keyed-limit.ts";

/** The WebSockets and event streams that callers have open at this process. */
export interface OpenConnections {
  /**
   * Counts a connection of a caller, who is named as by `Callers.shareOf`. Returns the function to call when the connection closes, or
   * null if the caller has as many connections as the setting `subscriptions.connectionsPerCaller` allows.
   */
  open(caller: string): (() => void) | null;
  /**
   * Counts the characters of a subscription of a caller: of its document and its variables, which are kept while it is open. Returns the
   * function to call when it ends, or null if all subscriptions of the caller have more than 1,000,000 together.
   */
  subscribe(caller: string, characters: number): (() => void) | null;
  /** The failure that ends every event stream; null until `end` is called. */
  ending(): Failure | null;
  /** Calls the function when event streams must end. Returns the function that cancels this. */
  onEnd(call: (reason: Failure) => void): () => void;
  /** Ends all event streams, because the server is shutting down. */
  end(): void;
}

/** A compiled document takes up to 150 bytes for each character. */
const MAX_CHARACTERS = 1_000_000;

export function createOpenConnections({ connectionsPerCaller }: Config["subscriptions"]): OpenConnections {
  const limit = createKeyedLimit(connectionsPerCaller === 0 ? Number.POSITIVE_INFINITY : connectionsPerCaller);
  const characters = createKeyedLimit(MAX_CHARACTERS);
  const streams = new Set<(reason: Failure) => void>();
  let ending: Failure | null = null;
  return {
    open: (caller) => limit.take(caller),
    subscribe: characters.take,
    ending: () => ending,
    onEnd(call) {
      streams.add(call);
      return () => streams.delete(call);
    },
    end() {
      ending ??= new Failure("UNAVAILABLE", "the server is shutting down, subscribe again");
      for (const call of [...streams]) call(ending);
    },
  };
}
