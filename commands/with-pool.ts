import type pg from "pg";
import { loadConfig } from "../core/config/config.ts";
import { openPool } from "../core/database/database.ts";
import { openCommandDatabase } from "../core/embedded-postgres/command-database.ts";
import { createLogger } from "../core/observability/logger.ts";

/** Opens the database of the settings for one task. Throws `ConfigError` if there is none, or if it is of another version. */
export async function withPool<Result>(
  flags: readonly string[],
  task: (pool: pg.Pool, url: string) => Promise<Result>,
): Promise<Result> {
  await using opened = await openCommandDatabase(loadConfig(process.env, flags));
  await using database = openPool(opened.url, 1, createLogger("error"));
  return await task(database.pool, opened.url);
}
