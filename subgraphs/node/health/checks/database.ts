import type { QueryConfig } from "pg";
import type { Database } from "../../../../core/database.ts";
import { Failure, messageOf } from "../../../../core/errors.ts";
import type { Check, CheckOutcome } from "../check.ts";
import { withinLimit } from "../time-limit.ts";

/** Passes when the database answers within that time. Its error names neither an address nor an account. */
export function databaseCheck({ pool }: Pick<Database, "pool">, timeLimitMs: number): Check {
  const ask = async (): Promise<CheckOutcome> => {
    try {
      // The types of pg do not know that a statement may have a time limit of its own.
      const statement: QueryConfig & { query_timeout: number } = { text: "SELECT 1", query_timeout: timeLimitMs };
      await pool.query(statement);
      return {};
    } catch (error) {
      return unusable(reasonOf(error));
    }
  };
  // A connection that does not come has a limit of its own, and a longer one.
  return () => withinLimit(ask, timeLimitMs, () => unusable(LATE));
}

const LATE = "no answer in time";
const unusable = (reason: string): CheckOutcome => ({ error: `the database cannot be used: ${reason}` });

/** True when the database was given up because it took too long; also of what such an error caused. */
export function isLate(error: unknown): boolean {
  return reasonOf(error instanceof Failure ? (error.originalError ?? error) : error) === LATE;
}

/** By the beginning of the code that Node or PostgreSQL gives, else by pg's own words. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED/, "connection refused"],
  [/^Connection terminated due to connection timeout/, LATE],
  [/^(ECONNRESET|EPIPE|08)|^Connection terminated/, "connection lost"],
  [/^(ENOTFOUND|EAI_AGAIN)/, "its host is not known"],
  [/^(EHOSTUNREACH|ENETUNREACH)/, "its host cannot be reached"],
  [/^ETIMEDOUT|^Query read timeout|^57014|^timeout exceeded when trying to connect/, LATE],
  [/^57P01|^57P02/, "it is shutting down"],
  [/^57P03/, "it is starting up or shutting down"],
  [/^53300/, "too many connections"],
  [/^53100/, "its disk is full"],
  [/^28/, "access refused"],
  [/^3D/, "there is no such database"],
];

function reasonOf(error: unknown): string {
  const code = String((Object(error) as { readonly code?: unknown }).code ?? "");
  const text = code || messageOf(error);
  const known = REASONS.find(([pattern]) => pattern.test(text))?.[1];
  return known ?? (code ? `error ${code}` : "it failed");
}
