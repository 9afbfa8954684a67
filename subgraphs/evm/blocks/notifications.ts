import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "../../../core/logger.ts";

const CHANNEL = "moraine_blocks";
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** Told the number of the last block each time that blocks of a chain were added; may be told the same number again. */
export type Tell = (blockNumber: bigint) => void;

/** What the indexer says of new blocks, over one connection for the whole process, made for the first who watches. */
export interface BlockNotices extends AsyncDisposable {
  /** Returns what ends the watch. After a lost connection the chain's head is told again, so nothing is missed. */
  watch(chainId: string, tell: Tell): () => void;
}

/** `pool` is where the connection's settings come from; its connections are left alone. */
export function createBlockNotices(pool: pg.Pool, logger: Logger): BlockNotices {
  const watchers = new Map<string, Set<Tell>>();
  const stop = new AbortController();
  const tellAll = (chainId: string, blockNumber: string) => {
    for (const tell of watchers.get(chainId) ?? []) tell(BigInt(blockNumber));
  };
  let running: Promise<void> | undefined;
  return {
    watch(chainId, tell) {
      const own = watchers.get(chainId) ?? new Set();
      watchers.set(chainId, own.add(tell));
      running ??= keepListening(pool, tellAll, logger, stop.signal);
      return () => own.delete(tell);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

type TellAll = (chainId: string, blockNumber: string) => void;

async function keepListening(pool: pg.Pool, tellAll: TellAll, logger: Logger, stop: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  while (!stop.aborted) {
    try {
      await listen(pool, tellAll, stop, () => {
        pauseMs = FIRST_PAUSE_MS;
      });
    } catch (error) {
      logger.warn({ err: error, pauseMs }, "lost the connection that new blocks are told over");
    }
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => {});
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

/** Resolves when it is stopped, rejects when the connection breaks. */
async function listen(pool: pg.Pool, tellAll: TellAll, stop: AbortSignal, listening: () => void): Promise<void> {
  const client = new pg.Client({ ...pool.options, keepAlive: true, application_name: "moraine block notices" });
  const ended = new Promise<void>((done, failed) => {
    client.on("error", failed);
    client.on("end", () => failed(new Error("the connection ended")));
    stop.addEventListener("abort", () => done(), { once: true });
  });
  ended.catch(() => {});
  client.on("notification", ({ payload }) => {
    const notice = parseNotice(payload ?? "");
    if (notice) tellAll(notice.chainId, notice.blockNumber);
  });
  try {
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}`);
    listening();
    const { rows } = await client.query<{ chain_id: string; block_number: string }>(
      "SELECT chain_id, block_number FROM chain_heads WHERE block_number >= 0",
    );
    for (const row of rows) tellAll(row.chain_id, row.block_number);
    await ended;
  } finally {
    await client.end().catch(() => {});
  }
}

interface Notice {
  readonly chainId: string;
  readonly blockNumber: string;
}

/** Anyone with the database's password can notify: what is no notice is passed over. */
function parseNotice(payload: string): Notice | null {
  try {
    const notice = JSON.parse(payload) as Partial<Notice> | null;
    const { chainId, blockNumber } = notice ?? {};
    return typeof chainId === "string" && /^\d+$/.test(String(blockNumber)) ? (notice as Notice) : null;
  } catch {
    return null;
  }
}
