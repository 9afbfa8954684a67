import { ConfigError } from "../../core/config/config.ts";
import { quoted } from "../../core/errors/errors.ts";
import { parseTime } from "./fields.ts";

export interface HistoryRange {
  readonly asset: string;
  /** Seconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** Values of the options of `moraine prices history`. */
export interface HistoryValues {
  readonly asset: string;
  readonly from: string;
  readonly to?: string | undefined;
}

/** Throws `ConfigError` with the rule that a value breaks. */
export function historyRange({ asset, from, to }: HistoryValues): HistoryRange {
  const start = timeOf("--from", from);
  const end = to === undefined ? Math.floor(Date.now() / 1_000) : timeOf("--to", to);
  if (start >= end) throw new ConfigError(`--from must be before --to, got ${from} and ${to ?? "now"}`);
  return { asset, from: start, to: end };
}

function timeOf(name: string, text: string): number {
  const seconds = parseTime(text);
  if (seconds !== null) return seconds;
  throw new ConfigError(`${name} must be seconds since the epoch or a date such as 2026-01-31, got ${quoted(text)}`);
}
