import { once } from "../core/async/once.ts";
import type { Config } from "../core/config/config-schema.ts";
import { Failure } from "../core/errors/errors.ts";
import { createKeyedLimit } from "../core/limits/keyed-limit.ts";
import { readGauge } from "../core/observability/registry.ts";
import { countRejection } from "../core/observability/rejections.ts";

/** The WebSockets, event streams and subscriptions that callers have open at this process. Callers are named as by `Callers.shareOf`. */
export interface OpenConnections {
  /**
   * Counts a connection of a caller. Returns the function to call when the connection closes, or null if the caller has as many connections
   * as the setting `subscriptions.connectionsPerCaller` allows.
   */
  open(caller: string): (() => void) | null;
  /**
   * Counts a subscription of a caller. Returns the function to call when it ends, or the failure if the caller has too many or the server is
   * shutting down.
   */
  subscribe(caller: string, subscription: NewSubscription): (() => void) | Failure;
  /** Calls the function when event streams must end. Returns the function that cancels this. */
  onEnd(call: (reason: Failure) => void): () => void;
  /** Ends all event streams, because the server is shutting down. */
  end(): void;
}

/** A subscription that a caller wants to start. */
interface NewSubscription {
  /** Characters of its document and variables, which are kept while it is open. All of a caller may have 1,000,000 together. */
  readonly characters: number;
  /** True for an event stream, which is a connection of its own. False for an operation of a WebSocket. */
  readonly isStream: boolean;
}

/** A compiled document takes up to 150 bytes for each character. */
const MAX_CHARACTERS = 1_000_000;

export function createOpenConnections({ connectionsPerCaller }: Config["subscriptions"]): OpenConnections {
  const limit = createKeyedLimit(connectionsPerCaller === 0 ? Number.POSITIVE_INFINITY : connectionsPerCaller);
  const texts = createKeyedLimit(MAX_CHARACTERS);
  const streams = new Set<(reason: Failure) => void>();
  let ending: Failure | null = null;
  return {
    open: (caller) => limit.take(caller),
    subscribe(caller, { characters, isStream }) {
      if (isStream && ending) return refused(ending);
      const releaseText = texts.take(caller, characters);
      if (!releaseText) return refused(new Failure("RATE_LIMITED", TOO_LARGE));
      const releaseConnection = isStream ? limit.take(caller) : () => {};
      if (!releaseConnection) {
        releaseText();
        return refused(new Failure("RATE_LIMITED", TOO_MANY));
      }
      subscriptions++;
      return once(() => {
        subscriptions--;
        releaseText();
        releaseConnection();
      });
    },
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

function refused(failure: Failure): Failure {
  countRejection(failure.code === "RATE_LIMITED" ? "too_many_subscriptions" : "shutting_down");
  return failure;
}

let subscriptions = 0;
readGauge("subscriptions", () => [{ labels: {}, value: subscriptions }]);

const TOO_MANY = "the caller has too many open connections: close an event stream or a WebSocket first";
const TOO_LARGE =
  "the documents and variables of the caller's subscriptions have more than 1,000,000 characters: end a subscription first";
