import { ConfigError, loadConfig } from "../core/config/config.ts";
import { createCoinGecko } from "../indexer/prices/coin-gecko.ts";
import { type HistoryValues, historyRange } from "../indexer/prices/command.ts";
import { createFileSource } from "../indexer/prices/file.ts";
import { importPrices } from "../indexer/prices/import.ts";
import type { PriceSource } from "../indexer/prices/source.ts";
import { endedByUser } from "./ended-by-user.ts";
import type { Outcome } from "./program/command.ts";
import { withPool } from "./with-pool.ts";

const INTERRUPTED = "interrupted: no price was imported";

/** `moraine prices import`. */
export const importFile = (file: string, flags: readonly string[]): Promise<Outcome> =>
  imported(createFileSource(file), endedByUser(INTERRUPTED), flags);

/** `moraine prices history`. */
export async function importHistory(values: HistoryValues, flags: readonly string[]): Promise<Outcome> {
  const { url, headers } = loadConfig(process.env, flags).prices;
  if (!url) throw new ConfigError("setting prices.url is missing: the URL of the API that gives past prices");
  const { asset, from, to } = historyRange(values);
  const signal = endedByUser(INTERRUPTED);
  await using client = createCoinGecko({ url, headers, signal, warn: console.error });
  return await imported(client.history(asset, from, to), signal, flags);
}

async function imported(source: PriceSource, signal: AbortSignal, flags: readonly string[]): Promise<Outcome> {
  const count = await withPool(flags, (pool) => importPrices(pool, source, signal));
  return { text: `${count} prices imported`, data: { imported: count } };
}
