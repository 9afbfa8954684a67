import { Failure, quoted } from "../../../core/errors/errors.ts";
import { invalid } from "./invalid.ts";
import type { TransactionExportRequest } from "./types.ts";

/** First and last day as `YYYY-MM-DD`, both inclusive. Null: no limit. */
export interface Days {
  readonly firstDate: string | null;
  readonly lastDate: string | null;
}

type Member = "firstDate" | "lastDate" | "startDate" | "endDate";

/** Parses the days of a request, from members with current or deprecated names. Throws `INVALID_PARAMETER`. */
export function parseDays(request: Pick<TransactionExportRequest, Member>): Days {
  const first = parseEither(request, "firstDate", "startDate");
  const last = parseEither(request, "lastDate", "endDate");
  if (first.date !== null && last.date !== null && first.date > last.date)
    throw new Failure(
      "INVALID_PARAMETER",
      `${first.name} must not be after ${last.name}, got ${first.name} ${quoted(first.date)} and ${last.name} ${quoted(last.date)}`,
    );
  return { firstDate: first.date, lastDate: last.date };
}

interface Day {
  /** The name that the caller used. */
  readonly name: Member;
  readonly date: string | null;
}

function parseEither(request: Pick<TransactionExportRequest, Member>, name: Member, deprecated: Member): Day {
  const value = parseDate(name, request[name] ?? null);
  const twin = parseDate(deprecated, request[deprecated] ?? null);
  if (value !== null && twin !== null && value !== twin)
    throw new Failure(
      "INVALID_PARAMETER",
      `${name} and its deprecated name ${deprecated} must be equal if both are given, got ${name} ${quoted(value)} and ${deprecated} ${quoted(twin)}`,
    );
  return value === null ? { name: deprecated, date: twin } : { name, date: value };
}

function parseDate(name: Member, text: string | null): string | null {
  if (text === null || isDate(text)) return text;
  throw invalid(name, "must be a date that exists, as YYYY-MM-DD", text);
}

/** The year 0 does not exist in the calendar. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith("0000")) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
