import { ConfigError, loadConfig } from "../../core/config/config.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { openPool, type PooledDatabase } from "../../core/database/database.ts";
import { databaseRefusal } from "../../core/database/database-refusal.ts";
import { openCommandDatabase } from "../../core/embedded-postgres/command-database.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createCoinGecko } from "./coin-gecko.ts";
import { type HistoryRange, parseCommand, USAGE } from "./command.ts";
import { importPrices } from "./import.ts";
import { PriceSourceFailed } from "./source.ts";

/** `npm run prices`: imports prices from a file, or past prices from the configured API. */
async function main(args: readonly string[]): Promise<void> {
  if (args.some((arg) => arg === "--help" || arg === "-h")) return console.log(USAGE);
  const command = parseCommand(args, () => loadConfig(process.env).prices);
  const config = loadConfig(process.env);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => stop.abort(new ConfigError("interrupted: no price was imported")));
  await using opened = await openCommandDatabase(config, stop.signal);
  await using database = openPool(opened.url, 1, createLogger(config.logLevel));
  const count =
    "file" in command
      ? await importPrices(database.pool, command.file, stop.signal)
      : await importHistory(database, config, command.history, stop.signal);
  console.log(`${count} prices imported`);
}

async function importHistory(
  { pool }: PooledDatabase,
  { prices }: Config,
  { asset, from, to }: HistoryRange,
  signal: AbortSignal,
): Promise<number> {
  const { url = "", headers } = prices;
  await using client = createCoinGecko({ url, headers, signal, warn: console.error });
  return await importPrices(pool, client.history(asset, from, to), signal);
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  const isExpected = error instanceof ConfigError || error instanceof PriceSourceFailed;
  console.error(isExpected ? error.message : (databaseRefusal(error) ?? error));
  process.exitCode = 1;
});
