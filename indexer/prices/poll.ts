import { linkedController } from "../../core/async/linked-controller.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { pricedAssets } from "../../core/networks/prices.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { createOutageLog, type OutageLog } from "../../core/observability/outage-log.ts";
import { readGauge } from "../../core/observability/registry.ts";
import { type Clock, SYSTEM_CLOCK } from "../shared/clock.ts";
import { tryBecomeWriter, type Writer } from "../shared/writer.ts";
import { type CoinGecko, createCoinGecko } from "./coin-gecko.ts";
import { PriceSourceFailed } from "./source.ts";
import { writePrices } from "./store.ts";

/** Name of the writer lock of the process that polls for prices. */
const WRITER = "prices";
/** Pause after a failed poll; `prices.pollIntervalMs` if that is shorter, and the source's `retry-after` if that is longer. */
const RETRY_MS = 30_000;
const RECONNECT_MS = 1_000;

export interface PollDeps {
  readonly config: Pick<Config, "evmChains" | "prices" | "indexing">;
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Ends the polling. */
  readonly stop: AbortSignal;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/**
 * Polls the API at `prices.url` for current prices and stores them, until it is stopped. One process polls; the others wait and
 * take over when it ends. Resolves at once if `prices.url` is not set, or if no entry of `evmChains` names a price id.
 */
export async function pollPrices(deps: PollDeps): Promise<void> {
  const { config, databaseUrl, logger, stop, clock = SYSTEM_CLOCK } = deps;
  const assets = pricedAssets(config.evmChains);
  if (!config.prices.url || assets.length === 0) return;
  const outage = createOutageLog({ logger, subject: "the polling of prices" });
  while (!stop.aborted) {
    try {
      await using writer = await tryBecomeWriter(databaseUrl, WRITER);
      if (writer) await pollAsWriter({ ...deps, clock, outage, url: config.prices.url, assets, writer });
      else await pause(clock, config.indexing.standbyPollMs, stop);
    } catch (error) {
      if (stop.aborted) return;
      outage.failedBy(error);
      await pause(clock, RECONNECT_MS, stop);
    }
  }
}

interface Polling extends PollDeps {
  readonly clock: Clock;
  readonly outage: OutageLog;
  readonly url: string;
  readonly assets: readonly string[];
  readonly writer: Writer;
}

async function pollAsWriter({ config, url, assets, writer, logger, outage, stop, clock }: Polling): Promise<void> {
  const { headers, pollIntervalMs } = config.prices;
  using ended = linkedController(stop);
  const end = () => ended.abort(writer.lost.reason);
  writer.lost.addEventListener("abort", end, { once: true });
  await using client = createCoinGecko({ url, headers, signal: ended.signal, warn: warnOnChange(logger) });
  let polledAt: number | null = null;
  using _metric = readGauge("pricesPolled", () => (polledAt === null ? [] : [{ labels: {}, value: polledAt }]));
  while (!ended.signal.aborted && !writer.lost.aborted) {
    const failure = await pollOnce(client, assets, writer);
    if (failure) outage.failed({}, failure.message);
    else {
      outage.succeeded();
      polledAt = Math.floor(Date.now() / 1_000);
    }
    const pauseMs = failure ? Math.max(failure.retryAfterMs, Math.min(pollIntervalMs, RETRY_MS)) : pollIntervalMs;
    await pause(clock, pauseMs, ended.signal);
  }
}

/** Stores the prices that precede a failure of the source, and returns the failure; null if there is none. */
async function pollOnce(
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

/** Logs a warning unless it repeats the previous one, because every poll finds the same unknown ids. */
function warnOnChange(logger: Logger): (message: string) => void {
  let last = "";
  return (message) => {
    if (message !== last) logger.warn(message);
    last = message;
  };
}

async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch(() => {});
}
