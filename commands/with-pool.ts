import type pg from "pg";
import { loadConfig } from "../core/config/config.ts";
import { openPool } from "../core/database/database.ts";
import { openCommandDatabase } from "../core/embedded-postgres/command-database.ts";
import { createLogger } from "../core/observability/logger.ts";
import type { Queries } from "../indexer/shared/writer.ts";

/** The statements of the indexer's functions that only read, each on a connection of the pool. */
export const queriesOf = (pool: pg.Pool): Queries => ({
  query: async (text, values = []) => (await pool.query(text, [...values])).rows,
});

/** Opens the database of the settings for one task. Throws `ConfigError` if there is none, or if it is of another version. */
export async function withPool<Result>(
  flags: readonly string[],
  task: (pool: pg.Pool, url: string) => Promise<Result>,
): Promise<Result> {
  await using opened = await openCommandDatabase(loadConfig(process.env, flags));
  await using database = openPool(opened.url, 1, createLogger("error"));
  return await task(database.pool, opened.url);
}
