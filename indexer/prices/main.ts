import { parseArgs } from "node:util";
import { ConfigError, loadConfig } from "../../core/config.ts";
import type { Config } from "../../core/config-schema.ts";
import { type Database, openDatabase } from "../../core/database.ts";
import { databaseRefusal } from "../../core/database-refusal.ts";
import { startEmbeddedPostgres } from "../../core/embedded-postgres/embedded-postgres.ts";
import { messageOf, quoted } from "../../core/errors.ts";
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
async function main(args: readonly string[]): Promise<void> {
  if (args.some((arg) => arg === "--help" || arg === "-h")) return console.log(USAGE);
  const { values, file } = asked(args);
  const config = loadConfig(process.env);
  const source = file === null ? null : createFileSource(file);
  const ask = file === null ? historyAsk(values, config) : null;
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => stop.abort(new ConfigError("broken off: no price of this is in")));
  await using embedded = config.databaseUrl ? null : await startEmbeddedPostgres(config.dataDirectory, stop.signal);
  const url = config.databaseUrl ?? embedded?.url ?? "";
  await migrate(url);
  await using database = openDatabase(url, 1, createLogger(config.logLevel));
  const count = source
    ? await importPrices(database.pool, source, stop.signal)
    : await importHistory(database, config, ask as HistoryAsk, stop.signal);
  console.log(`${count} prices are in`);
}

type Values = Readonly<Record<string, unknown>>;

/** The file that is to be imported, or what of history is wanted. Throws `ConfigError` for anything else. */
function asked(args: readonly string[]): { readonly values: Values; readonly file: string | null } {
  const [command, ...rest] = args;
  const options: Readonly<Record<string, typeof TEXT>> =
    command === "history" ? { asset: TEXT, from: TEXT, to: TEXT } : {};
  try {
    const { values, positionals } = parseArgs({ args: rest, allowPositionals: true, options });
    const [file, ...others] = positionals;
    if (command === "import" && file !== undefined && others.length === 0) return { values, file };
    if (command === "history" && file === undefined) return { values, file: null };
  } catch (error) {
    throw new ConfigError(`${messageOf(error)}; as in:\n${USAGE}`);
  }
  throw new ConfigError(USAGE);
}

const TEXT = { type: "string" } as const;

interface HistoryAsk {
  readonly asset: string;
  readonly from: number;
  readonly to: number;
}

function historyAsk(values: Values, { prices }: Config): HistoryAsk {
  const [asset, from, to] = ["asset", "from", "to"].map((name) => values[name] as string | undefined);
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

async function importHistory(
  { pool }: Database,
  { prices }: Config,
  { asset, from, to }: HistoryAsk,
  signal: AbortSignal,
): Promise<number> {
  const { url = "", headers } = prices;
  await using client = createCoinGecko({ url, headers, signal, odd: console.error });
  return await importPrices(pool, client.history(asset, from, to), signal);
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  const isExpected = error instanceof ConfigError || error instanceof PriceSourceFailed;
  console.error(isExpected ? error.message : (databaseRefusal(error) ?? error));
  process.exitCode = 1;
});
