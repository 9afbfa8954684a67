import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../core/config-schema.ts";
import { messageOf } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { pricedAssets } from "../../core/prices.ts";
import { linkedController } from "../shared/node/linked-controller.ts";
import { tryBecomeWriter, type Writer } from "../shared/writer.ts";
import { type CoinGecko, createCoinGecko } from "./coin-gecko.ts";
import { PriceSourceFailed } from "./source.ts";
import { writePrices } from "./store.ts";

/** Name of the lock that the one process holds which asks for prices. */
const WRITER = "prices";
/** Pause after a question that failed, unless the usual one is shorter. */
const RETRY_MS = 30_000;
const RECONNECT_MS = 1_000;

export interface PollDeps {
  readonly config: Pick<Config, "evmChains" | "prices" | "indexing">;
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Ends the polling. */
  readonly stop: AbortSignal;
}

/**
 * Asks the configured API for the current prices again and again until it is stopped. Of all processes one does; the
 * others stand by. Without a URL, or without an asset that has an id there, nobody is asked.
 */
export async function keepPricing(deps: PollDeps): Promise<void> {
  const { config, databaseUrl, logger, stop } = deps;
  const assets = pricedAssets(config.evmChains);
  if (!config.prices.url || assets.length === 0) return;
  while (!stop.aborted) {
    try {
      await using writer = await tryBecomeWriter(databaseUrl, WRITER);
      if (writer) await pollAsWriter({ ...deps, url: config.prices.url, assets, writer });
      else await pause(config.indexing.standbyPollMs, stop);
    } catch (error) {
      if (stop.aborted) return;
      logger.error({ err: error }, `prices are not written: ${messageOf(error)}`);
      await pause(RECONNECT_MS, stop);
    }
  }
}

interface Polling extends PollDeps {
  readonly url: string;
  readonly assets: readonly string[];
  readonly writer: Writer;
}

async function pollAsWriter({ config, url, assets, writer, logger, stop }: Polling): Promise<void> {
  const { headers, pollIntervalMs } = config.prices;
  using ended = linkedController(stop);
  const end = () => ended.abort(writer.lost.reason);
  writer.lost.addEventListener("abort", end, { once: true });
  await using client = createCoinGecko({ url, headers, signal: ended.signal, odd: onceEach(logger) });
  while (!ended.signal.aborted && !writer.lost.aborted) {
    const failure = await askOnce(client, assets, writer);
    if (failure) logger.warn(failure.message);
    const pauseMs = failure ? Math.max(failure.retryAfterMs, Math.min(pollIntervalMs, RETRY_MS)) : pollIntervalMs;
    await pause(pauseMs, ended.signal);
  }
}

/** Writes what is had before a failure, and returns that. */
async function askOnce(
  client: CoinGecko,
  assets: readonly string[],
  writer: Writer,
): Promise<PriceSourceFailed | null> {
  try {
    for await (const prices of client.current(assets).batches())
      await writer.transaction((session) => writePrices(session, prices));
    return null;
  } catch (error) {
    if (error instanceof PriceSourceFailed) return error;
    throw error;
  }
}

/** An id that the source does not know is worth one line, not one every five minutes. */
function onceEach(logger: Logger): (message: string) => void {
  let last = "";
  return (message) => {
    if (message !== last) logger.warn(message);
    last = message;
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
