import type { Config } from "../core/config/config-schema.ts";
import { Failure } from "../core/errors/errors.ts";
import { createKeyedLimit } from "../core/limits/keyed-limit.ts";
import { readGauge } from "../core/observability/registry.ts";
import { countRejection } from "../core/observability/rejections.ts";

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
      const reason = ending;
      // The server has begun to shut down while the stream waited for its start.
      if (reason) queueMicrotask(() => streams.has(call) && call(reason));
      return () => streams.delete(call);
    },
    end() {
      ending ??= new Failure("UNAVAILABLE", "the server is shutting down, subscribe again");
      for (const call of [...streams]) call(ending);
    },
  };
}

/** A subscription that a caller wants to start. */
interface NewSubscription {
  /** Characters of its document and variables. */
  readonly characters: number;
  /** True for an event stream, which is a connection of its own. False for an operation of a WebSocket. */
  readonly isStream: boolean;
}

/**
 * Counts a subscription of a caller. Returns the function to call when it ends, or the failure if the caller has too many or the server is
 * shutting down.
 */
export function openSubscription(
  connections: OpenConnections,
  caller: string,
  { characters, isStream }: NewSubscription,
): (() => void) | Failure {
  const refused = (failure: Failure): Failure => {
    countRejection(failure.code === "RATE_LIMITED" ? "too_many_subscriptions" : "shutting_down");
    return failure;
  };
  const ending = isStream ? connections.ending() : null;
  if (ending) return refused(ending);
  const releaseText = connections.subscribe(caller, characters);
  if (!releaseText) return refused(tooLarge());
  const releaseConnection = isStream ? connections.open(caller) : () => {};
  if (!releaseConnection) {
    releaseText();
    return refused(tooMany());
  }
  subscriptions++;
  return () => {
    subscriptions--;
    releaseText();
    releaseConnection();
  };
}

let subscriptions = 0;
readGauge("subscriptions", () => [{ labels: {}, value: subscriptions }]);

const tooMany = () =>
  new Failure("RATE_LIMITED", "the caller has too many open connections: close an event stream or a WebSocket first");

const tooLarge = () =>
  new Failure(
    "RATE_LIMITED",
    "the documents and variables of the caller's subscriptions have more than 1,000,000 characters: end a subscription first",
  );
