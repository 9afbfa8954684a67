import type pg from "pg";
import { createListener } from "../../../core/database/notification-listener.ts";
import type { Logger } from "../../../core/observability/logger.ts";

/** Called with the number of a chain's last block when blocks were added, possibly several times with the same number. */
export type BlockListener = (blockNumber: bigint) => void;

/** The indexer's notifications of new blocks. The process has one connection for them, opened for the first listener. */
export interface BlockNotifications extends AsyncDisposable {
  /**
   * Adds a listener, and returns a function that removes it. When the connection is opened, and when it is restored after a loss,
   * each listener gets the number of its chain's last indexed block, so that no block is missed.
   */
  listen(chainId: string, listener: BlockListener): () => void;
}

/** Takes the connection settings from `pool`, but opens a connection of its own. */
export function createBlockNotifications(pool: pg.Pool, logger: Logger): BlockNotifications {
  const listeners = new Map<string, Set<BlockListener>>();
  const notifyAll = ({ chainId, blockNumber }: Notification) => {
    for (const listener of listeners.get(chainId) ?? []) listener(BigInt(blockNumber));
  };
  const connection = createListener(pool, logger, {
    channel: "moraine_blocks",
    about: "new blocks",
    onPayload(payload) {
      const notification = parseNotification(payload);
      if (notification) notifyAll(notification);
    },
    async onListening(client) {
      for (const head of await readHeads(client)) notifyAll(head);
    },
  });
  return {
    listen(chainId, listener) {
      const ofChain = listeners.get(chainId) ?? new Set();
      listeners.set(chainId, ofChain.add(listener));
      connection.start();
      return () => ofChain.delete(listener);
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

interface Notification {
  readonly chainId: string;
  readonly blockNumber: string;
}

async function readHeads(client: pg.ClientBase): Promise<Notification[]> {
  const { rows } = await client.query<{ chain_id: string; block_number: string }>(
    "SELECT chain_id, block_number FROM chain_heads WHERE block_number >= 0",
  );
  return rows.map((row) => ({ chainId: row.chain_id, blockNumber: row.block_number }));
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
