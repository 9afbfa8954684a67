import type pg from "pg";
import { METADATA_REQUESTS } from "../../core/database/metadata-requests.ts";
import { createListener } from "../../core/database/notification-listener.ts";
import type { Logger } from "../../core/observability/logger.ts";

/** The requests of callers to read metadata of tokens again, in one database. */
export interface MetadataRequests extends AsyncDisposable {
  /** Calls `notify` when there is a request for the chain, and when there may have been one, until the result is disposed. */
  listen(chainId: string, notify: () => void): Disposable;
}

/** Takes the connection settings from `pool`, but opens a connection of its own for the first chain. */
export function createMetadataRequests(pool: pg.Pool, logger: Logger): MetadataRequests {
  const chains = new Map<string, () => void>();
  const listener = createListener(pool, logger, {
    channel: METADATA_REQUESTS,
    about: "requests for metadata",
    onPayload: (chainId) => chains.get(chainId)?.(),
    async onListening() {
      for (const notify of chains.values()) notify();
    },
  });
  return {
    listen(chainId, notify) {
      chains.set(chainId, notify);
      listener.start();
      return { [Symbol.dispose]: () => void chains.delete(chainId) };
    },
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}
