import { parseArgs } from "node:util";
import { ConfigError } from "../../core/config/config.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { messageOf, quoted } from "../../core/errors/errors.ts";
import { parseTime } from "./fields.ts";
import { createFileSource } from "./file.ts";
import type { PriceSource } from "./source.ts";

export const USAGE = `npm run prices -- import <file.csv or file.json>
npm run prices -- history --asset <id> --from <seconds or date> [--to <seconds or date>]`;

/** What `npm run prices` imports: a file, or past prices of the configured API. */
export type PricesCommand = { readonly file: PriceSource } | { readonly history: HistoryRange };

export interface HistoryRange {
  readonly asset: string;
  /** Seconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

const TEXT = { type: "string" } as const;

/**
 * Parses the arguments of `npm run prices`. Throws `ConfigError` or `PriceSourceFailed` with the rule that an argument breaks.
 */
export function parseCommand(args: readonly string[], loadPrices: () => Config["prices"]): PricesCommand {
  const [command, ...rest] = args;
  const options: Readonly<Record<string, typeof TEXT>> =
    command === "history" ? { asset: TEXT, from: TEXT, to: TEXT } : {};
  const { values, positionals } = parseOptions(rest, options);
  const [file, ...others] = positionals;
  if (command === "import" && file !== undefined && others.length === 0) return { file: createFileSource(file) };
  if (command === "history" && file === undefined) return { history: parseHistory(values, loadPrices()) };
  throw new ConfigError(USAGE);
}

type Values = Readonly<Record<string, string | boolean | undefined>>;

function parseOptions(
  args: readonly string[],
  options: Readonly<Record<string, typeof TEXT>>,
): { readonly values: Values; readonly positionals: readonly string[] } {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new ConfigError(`${messageOf(error)}; usage:\n${USAGE}`);
  }
}

function parseHistory(values: Values, { url }: Config["prices"]): HistoryRange {
  const asset = values["asset"] as string | undefined;
  const from = values["from"] as string | undefined;
  const to = values["to"] as string | undefined;
  if (!url) throw new ConfigError("setting prices.url is missing: the URL of the API that gives past prices");
  if (!asset) throw new ConfigError("--asset must be an id of the API at prices.url, such as avalanche-2");
  const start = timeOf("--from", from);
  const end = to === undefined ? Math.floor(Date.now() / 1_000) : timeOf("--to", to);
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
