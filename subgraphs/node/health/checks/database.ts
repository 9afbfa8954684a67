import type { QueryConfig } from "pg";
import type { Database } from "../../../../core/database.ts";
import { messageOf } from "../../../../core/errors.ts";
import type { Check } from "../check.ts";

/** Passes when the database answers within that time. Its error names neither an address nor an account. */
export function databaseCheck({ pool }: Pick<Database, "pool">, timeLimitMs: number): Check {
  return async () => {
    try {
      // The types of pg do not know that a statement may have a time limit of its own.
      const statement: QueryConfig & { query_timeout: number } = { text: "SELECT 1", query_timeout: timeLimitMs };
      await pool.query(statement);
      return {};
    } catch (error) {
      return { error: `the database cannot be used: ${reasonOf(error)}` };
    }
  };
}

/** By the beginning of the code that Node or PostgreSQL gives, else by pg's own words. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED/, "connection refused"],
  [/^(ECONNRESET|EPIPE|08)|^Connection terminated/, "connection lost"],
  [/^(ENOTFOUND|EAI_AGAIN)/, "its host is not known"],
  [/^(EHOSTUNREACH|ENETUNREACH)/, "its host cannot be reached"],
  [/^ETIMEDOUT|^Query read timeout|^57014/, "no answer in time"],
  [
    /^timeout exceeded when trying to connect|^Connection terminated due to connection timeout/,
    "no connection in time",
  ],
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
