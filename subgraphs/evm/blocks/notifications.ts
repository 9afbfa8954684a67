import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "../../../core/logger.ts";

const CHANNEL = "moraine_blocks";
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 10_000;

/** Called with the number of a chain's last block when blocks were added, possibly several times with the same number. */
export type BlockListener = (blockNumber: bigint) => void;

/** The indexer's notifications of new blocks. The process has one connection for them, opened for the first listener. */
export interface BlockNotifications extends AsyncDisposable {
  /**
   * Returns a function that removes the listener. After the connection is lost and restored, listeners get the chain's
   * current head, so that no block is missed.
   */
  listen(chainId: string, listener: BlockListener): () => void;
}

/** Takes the connection settings from `pool`, but opens a connection of its own. */
export function createBlockNotifications(pool: pg.Pool, logger: Logger): BlockNotifications {
  const listeners = new Map<string, Set<BlockListener>>();
  const stop = new AbortController();
  const notifyAll: NotifyAll = (chainId, blockNumber) => {
    for (const listener of listeners.get(chainId) ?? []) listener(BigInt(blockNumber));
  };
  let running: Promise<void> | undefined;
  return {
    listen(chainId, listener) {
      const ofChain = listeners.get(chainId) ?? new Set();
      listeners.set(chainId, ofChain.add(listener));
      running ??= keepListening(pool, notifyAll, logger, stop.signal);
      return () => ofChain.delete(listener);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

type NotifyAll = (chainId: string, blockNumber: string) => void;

async function keepListening(pool: pg.Pool, notifyAll: NotifyAll, logger: Logger, stop: AbortSignal): Promise<void> {
  let retryMs = FIRST_RETRY_MS;
  while (!stop.aborted) {
    try {
      await listenUntilLost(pool, notifyAll, stop, () => {
        retryMs = FIRST_RETRY_MS;
      });
    } catch (error) {
      logger.warn({ err: error, retryMs }, "lost the database connection for notifications of new blocks");
    }
    await sleep(retryMs, undefined, { signal: stop }).catch(() => {});
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  }
}

/** Resolves when `stop` is aborted, rejects when the connection is lost. `onListening` is called once it listens. */
async function listenUntilLost(
  pool: pg.Pool,
  notifyAll: NotifyAll,
  stop: AbortSignal,
  onListening: () => void,
): Promise<void> {
  const client = new pg.Client({ ...pool.options, keepAlive: true, application_name: "moraine block notifications" });
  const ended = new Promise<void>((done, failed) => {
    client.on("error", failed);
    client.on("end", () => failed(new Error("the connection ended")));
    stop.addEventListener("abort", () => done(), { once: true });
  });
  ended.catch(() => {});
  client.on("notification", ({ payload }) => {
    const notification = parseNotification(payload ?? "");
    if (notification) notifyAll(notification.chainId, notification.blockNumber);
  });
  try {
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}`);
    onListening();
    const { rows } = await client.query<{ chain_id: string; block_number: string }>(
      "SELECT chain_id, block_number FROM chain_heads WHERE block_number >= 0",
    );
    for (const row of rows) notifyAll(row.chain_id, row.block_number);
    await ended;
  } finally {
    await client.end().catch(() => {});
  }
}

interface Notification {
  readonly chainId: string;
  readonly blockNumber: string;
}

/** Returns null for an invalid payload: any client of the database can notify. */
function parseNotification(payload: string): Notification | null {
  try {
    const parsed = JSON.parse(payload) as Partial<Notification> | null;
    const { chainId, blockNumber } = parsed ?? {};
    return typeof chainId === "string" && /^\d+$/.test(String(blockNumber)) ? (parsed as Notification) : null;
  } catch {
    return null;
  }
}
