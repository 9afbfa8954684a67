import { loadConfig } from "../core/config/config.ts";
import { migrate } from "../core/database/migrate.ts";
import { usableDatabase } from "../core/database/postgres/usable-database.ts";
import { startEmbeddedPostgres } from "../core/embedded-postgres/embedded-postgres.ts";
import { endedByUser } from "./ended-by-user.ts";
import type { Outcome } from "./program/command.ts";

/** `moraine migrate`: creates the tables, or upgrades them to this version. */
export async function migrateDatabase(flags: readonly string[]): Promise<Outcome> {
  const { databaseUrl, dataDirectory } = loadConfig(process.env, flags);
  const signal = endedByUser("interrupted: the database is as it was before");
  await using embedded = databaseUrl === undefined ? await startEmbeddedPostgres(dataDirectory, signal) : null;
  const url = embedded?.url ?? (await usableDatabase(databaseUrl ?? ""));
  const applied = await migrate(url, (line) => console.error(line), signal);
  const text = applied.length === 0 ? "the database is of this version" : `applied: ${applied.join(", ")}`;
  return { text, data: { applied } };
}
