import type pg from "pg";
import type { BlockChannel } from "../../../core/database/block-channels.ts";
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
  listen(chain: string, listener: BlockListener): () => void;
}

/** Takes the connection settings from `pool`, but opens a connection of its own. */
export function createBlockNotifications(
  pool: pg.Pool,
  logger: Logger,
  { channel, about, heads }: BlockChannel,
): BlockNotifications {
  const listeners = new Map<string, Set<BlockListener>>();
  const notifyAll = ({ chain, blockNumber }: Notification) => {
    for (const listener of listeners.get(chain) ?? []) listener(BigInt(blockNumber));
  };
  const connection = createListener(pool, logger, {
    channel,
    about,
    onPayload(payload) {
      const notification = parseNotification(payload);
      if (notification) notifyAll(notification);
    },
    async onListening(client) {
      for (const head of await readHeads(client, heads)) notifyAll(head);
    },
  });
  return {
    listen(chain, listener) {
      const ofChain = listeners.get(chain) ?? new Set();
      listeners.set(chain, ofChain.add(listener));
      connection.start();
      return () => ofChain.delete(listener);
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

interface Notification {
  readonly chain: string;
  readonly blockNumber: string;
}

async function readHeads(client: pg.ClientBase, heads: string): Promise<Notification[]> {
  const { rows } = await client.query<{ chain: string; block_number: string }>(heads);
  return rows.map(({ chain, block_number }) => ({ chain, blockNumber: block_number }));
}

/** Returns null for an invalid payload: any client of the database can notify. */
function parseNotification(payload: string): Notification | null {
  try {
    const parsed = JSON.parse(payload) as Partial<Notification> | null;
    const { chain, blockNumber } = parsed ?? {};
    return typeof chain === "string" && /^\d+$/.test(String(blockNumber)) ? (parsed as Notification) : null;
  } catch {
    return null;
  }
}
