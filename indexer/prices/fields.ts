import { quoted } from "../../core/errors/errors.ts";
import { CURRENCIES } from "../../core/networks/prices.ts";
import type { PriceRow } from "./source.ts";
import { parsePriceValue } from "./value.ts";

/** Last second of the year 9999. Greater numbers are refused: they are probably milliseconds. */
const LAST_SECOND = 253_402_300_799;

interface FieldRule {
  readonly name: keyof PriceRow;
  /** Continues "… must be". */
  readonly rule: string;
  /** The text that the table accepts; null if the rule is broken. */
  readonly parse: (text: string) => string | null;
}

/** The columns of a file of prices, in order. */
export const FIELDS: readonly FieldRule[] = [
  {
    name: "asset",
    rule: "an id of 1 to 200 characters, without spaces at its ends and without control characters",
    parse: (text) => (/^(?!\s)[^\p{Cc}\p{Cs}]{1,200}(?<!\s)$/u.test(text) ? text : null),
  },
  {
    name: "currency",
    rule: `one of ${CURRENCIES.join(", ")}`,
    parse: (text) => CURRENCIES.find((currency) => currency === text) ?? null,
  },
  {
    name: "timestamp",
    rule: "seconds since the epoch, or a date such as 2026-01-31 or 2026-01-31T23:59:59Z",
    parse: (text) => parseTime(text)?.toString() ?? null,
  },
  {
    name: "value",
    rule: "a decimal number of at most 30 digits before the point, not negative",
    parse: parsePriceValue,
  },
];

/** The header of a CSV file. */
export const HEADER = FIELDS.map(({ name }) => name).join(",");

/** Parses a field's value. If it breaks the rule, throws the error that `refused` returns. */
export function parseField({ name, rule, parse }: FieldRule, text: string, refused: (why: string) => Error): string {
  const value = parse(text);
  if (value === null) throw refused(`${name} must be ${rule}, got ${quoted(text)}`);
  return value;
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** Parses seconds since the epoch, an ISO date (midnight UTC), or an ISO time with zone; null for anything else. */
export function parseTime(text: string): number | null {
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : secondsOfDate(text);
  return seconds !== null && seconds >= 0 && seconds <= LAST_SECOND ? seconds : null;
}

function secondsOfDate(written: string): number | null {
  const [, year, month, day, hour = "00", minute = "00", second = "00", zone = "Z"] = DATE.exec(written) ?? [];
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const ms = Date.parse(text);
  // Date.parse accepts 30 February as a day in March.
  const isReal = !Number.isNaN(ms) && new Date(ms).toISOString() === text;
  return isReal ? ms / 1_000 - zoneSeconds(zone) : null;
}

function zoneSeconds(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60);
}
