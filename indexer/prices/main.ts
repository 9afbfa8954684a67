import { parseArgs } from "node:util";
import { ConfigError, loadConfig } from "../../core/config.ts";
import type { Config } from "../../core/config-schema.ts";
import { type Database, openDatabase } from "../../core/database.ts";
import { startEmbeddedPostgres } from "../../core/embedded-postgres.ts";
import { quoted } from "../../core/errors.ts";
import { createLogger } from "../../core/logger.ts";
import { migrate } from "../../core/migrate.ts";
import { createCoinGecko } from "./coin-gecko.ts";
import { parseTime } from "./fields.ts";
import { createFileSource } from "./file.ts";
import { importPrices } from "./import.ts";
import { PriceSourceFailed } from "./source.ts";

const USAGE = `npm run prices -- import <file.csv or file.json>
npm run prices -- history --asset <id> --from <seconds or date> [--to <seconds or date>]`;

/** `npm run prices`: brings prices from a file, or those of the past from the configured API. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { asset: { type: "string" }, from: { type: "string" }, to: { type: "string" } },
  });
  const [command, file, ...others] = positionals;
  const isImport = command === "import" && file !== undefined && others.length === 0;
  if (!isImport && !(command === "history" && file === undefined)) throw new ConfigError(USAGE);
  const config = loadConfig(process.env);
  const source = isImport ? createFileSource(file) : null;
  const ask = isImport ? null : historyAsk(values, config);
  await using embedded = config.databaseUrl ? null : await startEmbeddedPostgres(config.dataDirectory);
  const url = config.databaseUrl ?? embedded?.url ?? "";
  await migrate(url);
  await using database = openDatabase(url, 1, createLogger(config.logLevel));
  const count = source
    ? await importPrices(database.pool, source)
    : await importHistory(database, config, ask as HistoryAsk);
  console.log(`${count} prices are in`);
}

interface HistoryAsk {
  readonly asset: string;
  readonly from: number;
  readonly to: number;
}

function historyAsk(values: Readonly<Record<string, string | undefined>>, { prices }: Config): HistoryAsk {
  const { asset, from, to } = values;
  if (!prices.url) throw new ConfigError("setting prices.url is missing: it names the API that is asked");
  if (!asset) throw new ConfigError("--asset must be an id of that API, such as avalanche-2");
  const [start, end] = [timeOf("--from", from), to === undefined ? Math.floor(Date.now() / 1_000) : timeOf("--to", to)];
  if (start >= end) throw new ConfigError(`--from must be before --to, got ${from} and ${to ?? "now"}`);
  return { asset, from: start, to: end };
}

function timeOf(name: string, text: string | undefined): number {
  const seconds = parseTime(text ?? "");
  if (seconds !== null) return seconds;
  throw new ConfigError(
    `${name} must be seconds since the epoch or a date such as 2026-01-31, got ${quoted(text ?? "")}`,
  );
}

async function importHistory({ pool }: Database, { prices }: Config, { asset, from, to }: HistoryAsk): Promise<number> {
  const signal = new AbortController().signal;
  const { url = "", headers } = prices;
  await using client = createCoinGecko({ url, headers, signal, odd: console.error });
  return await importPrices(pool, client.history(asset, from, to));
}

await main().catch((error: unknown) => {
  console.error(error instanceof ConfigError || error instanceof PriceSourceFailed ? error.message : error);
  process.exitCode = 1;
});
