import { loadConfig } from "../core/config/config.ts";
import { openPool } from "../core/database/database.ts";
import { migrate } from "../core/database/migrate.ts";
import { usableDatabase } from "../core/database/postgres/usable-database.ts";
import { clusterPath } from "../core/embedded-postgres/cluster-paths.ts";
import { startEmbeddedPostgres } from "../core/embedded-postgres/embedded-postgres.ts";
import { createLogger } from "../core/observability/logger.ts";
import { outdatedRows } from "../indexer/outdated-rows.ts";
import { endedByUser } from "./ended-by-user.ts";
import type { Outcome } from "./program/command.ts";

/** `moraine migrate`: creates the tables, or upgrades them to this version. */
export async function migrateDatabase(flags: readonly string[]): Promise<Outcome> {
  const config = loadConfig(process.env, flags);
  const { databaseUrl, dataDirectory } = config;
  const signal = endedByUser("interrupted: the database is as it was before");
  await using embedded = databaseUrl === undefined ? await startEmbeddedPostgres(dataDirectory, signal) : null;
  const url = embedded?.url ?? (await usableDatabase(databaseUrl ?? ""));
  const report = (line: string) => console.error(line);
  const directory = databaseUrl === undefined ? clusterPath(dataDirectory) : null;
  const applied = await migrate(url, report, signal, { directory });
  await using database = openPool(url, 1, createLogger("error"));
  const rebuilt = await outdatedRows(database.pool, config);
  const text = applied.length === 0 ? "the database is of this version" : `applied: ${applied.join(", ")}`;
  return {
    text: [text, ...rebuilt.map((line) => `at the next start, ${line}`)].join("\n"),
    data: { applied, rebuilt },
  };
}
