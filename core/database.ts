import { randomBytes } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient } from "../prisma/client/client.ts";
import { Failure, messageOf } from "./errors.ts";
import type { Logger } from "./logger.ts";

/** One pool for both ways to the tables: Prisma, and prepared statements where speed counts. */
export interface Database extends AsyncDisposable {
  readonly pool: pg.Pool;
  readonly prisma: PrismaClient;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** A database that is frozen or overrun must not hold callers for ever. */
const QUERY_TIMEOUT_MS = 10_000;

/** Opens the database lazily; nothing is sent before the first query. An idle connection that breaks is only logged. */
export function openDatabase(url: string, poolSize: number, logger: Logger): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    application_name: "moraine",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  pool.on("error", (error) => logger.warn({ err: error }, "an idle database connection broke"));
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  return {
    pool,
    prisma,
    async [Symbol.asyncDispose]() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

const { builtins } = pg.types;
const asText = (text: string): string => text;
const asHex = (text: string): string => `0x${text.slice(2)}`;
const PARSERS = new Map<number, (text: string) => unknown>([
  [builtins.BYTEA, asHex],
  [builtins.INT4, Number],
  [builtins.INT2, Number],
  [builtins.FLOAT8, Number],
  [builtins.BOOL, (text) => text === "t"],
]);

/** How hot statements read columns: bytes as `0x` hex, BIGINT and NUMERIC as decimal text, nothing as a float. */
const TEXT_TYPES = { getTypeParser: (oid: number) => PARSERS.get(oid) ?? asText } as pg.CustomTypesConfig;

/**
 * A statement that each connection prepares once. Rows come with columns as `0x` hex, decimal text, or a number for
 * 4-byte integers. A database that cannot be reached fails with `UNAVAILABLE`.
 */
export function prepared<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  name: string,
  text: string,
): (values: unknown[]) => Promise<Row[]> {
  return async (values) => {
    try {
      return (await pool.query<Row>({ name, text, values, types: TEXT_TYPES })).rows;
    } catch (error) {
      throw isOutage(error) ? new Failure("UNAVAILABLE", "the database cannot be reached", error) : error;
    }
  };
}

const OUTAGE_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "08006",
  "P1001",
  "P1017",
  "P2024",
]);

/** True when the database is away, as against a statement that is wrong. */
export function isOutage(error: unknown): boolean {
  // Errors of Node itself are of another realm inside a test's sandbox: no instanceof.
  if (typeof error !== "object" || error === null) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    OUTAGE_CODES.has(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Can't reach database|ECONNREFUSED/.test(
      messageOf(error),
    )
  );
}

/** The installation's secret of that name; made by whoever asks first. */
export async function loadSecret(pool: pg.Pool, name: string): Promise<Buffer> {
  await pool.query("INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", [name, randomBytes(32)]);
  const { rows } = await pool.query<{ value: Buffer }>("SELECT value FROM secrets WHERE name = $1", [name]);
  return rows[0]?.value as Buffer;
}
