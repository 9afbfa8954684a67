import type pg from "pg";
import type { BlockChannel } from "../../../core/database/block-channels.ts";
import { createListener } from "../../../core/database/notification-listener.ts";
import { poolOf, type StatementPool } from "../../../core/database/statement-pool.ts";
import type { Logger } from "../../../core/observability/logger.ts";

/** Called with the number of a chain's last block when blocks were added, possibly several times with the same number. */
export type BlockListener = (blockNumber: bigint) => void;

/** The indexer's notifications of new blocks. The process has one connection to each database for them, opened for its first listener. */
export interface BlockNotifications extends AsyncDisposable {
  /**
   * Adds a listener, and returns a function that removes it. When the connection is opened, and when it is restored after a loss,
   * each listener gets the number of its chain's last indexed block, so that no block is missed.
   */
  listen(chain: string, listener: BlockListener): () => void;
}

/** Takes the connection settings from the pools, but opens connections of its own. */
export function createBlockNotifications(
  source: StatementPool,
  logger: Logger,
  channel: BlockChannel,
): BlockNotifications {
  const ofPools = new Map<pg.Pool, BlockNotifications>();
  return {
    listen(chain, listener) {
      const pool = poolOf(source, channel.partitionOf(chain));
      const ofPool = ofPools.get(pool) ?? createNotificationsOf(pool, logger, channel);
      ofPools.set(pool, ofPool);
      return ofPool.listen(chain, listener);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...ofPools.values()].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

/** The notifications of one database. */
function createNotificationsOf(
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
