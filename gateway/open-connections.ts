import type { IncomingMessage } from "node:http";
import type { Caller } from "../core/access/callers.ts";
import { createAddressReader } from "../core/access/client-address.ts";
import type { Config } from "../core/config-schema.ts";
import { Failure } from "../core/errors.ts";

/** The WebSockets and event streams that callers have open at this process. */
export interface OpenConnections {
  /**
   * Counts a connection. Returns the function to call when it closes, or null if the caller has as many as the setting
   * `subscriptions.connectionsPerCaller` allows.
   */
  open(caller: Pick<Caller, "apiKey">, request: IncomingMessage): (() => void) | null;
  /** The failure that ends every event stream; null until `end` is called. */
  ending(): Failure | null;
  /** Calls the function when event streams must end. Returns the function that cancels this. */
  onEnd(call: (reason: Failure) => void): () => void;
  /** Ends all event streams, because the server is shutting down. */
  end(): void;
}

export function createOpenConnections(
  config: Pick<Config, "subscriptions" | "trustProxy" | "proxyHops">,
): OpenConnections {
  const { connectionsPerCaller } = config.subscriptions;
  const addressOf = createAddressReader(config);
  const openByCaller = new Map<string, number>();
  const streams = new Set<(reason: Failure) => void>();
  let ending: Failure | null = null;
  return {
    open({ apiKey }, request) {
      if (connectionsPerCaller === 0) return () => {};
      const id = apiKey ? `key ${apiKey.name}` : addressOf(request);
      const open = openByCaller.get(id) ?? 0;
      if (open >= connectionsPerCaller) return null;
      openByCaller.set(id, open + 1);
      return once(() => {
        const left = (openByCaller.get(id) ?? 1) - 1;
        if (left === 0) openByCaller.delete(id);
        else openByCaller.set(id, left);
      });
    },
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

function once(call: () => void): () => void {
  let isCalled = false;
  return () => {
    if (!isCalled) call();
    isCalled = true;
  };
}
