import { loadConfig } from "../core/config/config.ts";
import { migrateAll, withUsableDatabases } from "../core/database/cells.ts";
import { placementOf } from "../core/database/placement.ts";
import { usableDatabase } from "../core/database/postgres/usable-database.ts";
import { clusterPath } from "../core/embedded-postgres/cluster-paths.ts";
import { startEmbeddedPostgres } from "../core/embedded-postgres/embedded-postgres.ts";
import { createLogger } from "../core/observability/logger.ts";
import { outdatedRowsOf } from "../indexer/outdated-rows.ts";
import { endedByUser } from "./ended-by-user.ts";
import type { Outcome } from "./program/command.ts";

/** `moraine migrate`: creates the tables of all databases, or upgrades them to this version. */
export async function migrateDatabase(flags: readonly string[]): Promise<Outcome> {
  const config = loadConfig(process.env, flags);
  const { databaseUrl, dataDirectory } = config;
  const signal = endedByUser("interrupted: the database is as it was before");
  await using embedded = databaseUrl === undefined ? await startEmbeddedPostgres(dataDirectory, signal) : null;
  const url = embedded?.url ?? (await usableDatabase(databaseUrl ?? ""));
  const placed = await withUsableDatabases(config);
  const placement = placementOf(placed, url);
  const report = (line: string) => console.error(line);
  const directory = databaseUrl === undefined ? clusterPath(dataDirectory) : null;
  const applied = await migrateAll(placement, report, { signal, directory });
  const rebuilt = await outdatedRowsOf(placed, placement, createLogger("error"));
  const isOne = placement.all.length === 1;
  const text =
    applied.length === 0
      ? `${isOne ? "the database is" : "all databases are"} of this version`
      : `applied: ${applied.join(", ")}`;
  return {
    text: [text, ...rebuilt.map((line) => `at the next start, ${line}`)].join("\n"),
    data: { applied, rebuilt },
  };
}
