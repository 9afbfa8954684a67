import type { Config } from "../config/config-schema.ts";
import { requireAllMigrated, withUsableDatabases } from "../database/cells.ts";
import { NoTables, requireMigrated } from "../database/migrate.ts";
import { type Placement, placementOf } from "../database/placement.ts";
import { usableDatabase } from "../database/postgres/usable-database.ts";
import { quoted } from "../errors/errors.ts";
import { hasCluster, startEmbeddedPostgres } from "./embedded-postgres.ts";

/** The database that a command uses. */
export interface CommandDatabase extends AsyncDisposable {
  /** The main database. */
  readonly url: string;
  /** All databases of the settings. Throws `ConfigError` like `openCommandDatabase` if one of them is of another version. */
  placement(): Promise<Placement>;
}

/**
 * Opens the main database of the settings for a command, which neither creates nor upgrades it. Throws `ConfigError`, and says what to do, if
 * it is of another version, and `NoTables` if there is none or it is empty. Aborting the signal before the promise settles rejects it.
 */
export async function openCommandDatabase(config: Config, signal?: AbortSignal): Promise<CommandDatabase> {
  const database = await reachDatabase(config, signal);
  try {
    await requireMigrated(database.url);
    const placement = async () => {
      const placed = placementOf(await withUsableDatabases(config), database.url);
      await requireAllMigrated(placed);
      return placed;
    };
    return { url: database.url, placement, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

async function reachDatabase(
  { databaseUrl, dataDirectory }: Config,
  signal: AbortSignal | undefined,
): Promise<Pick<CommandDatabase, "url"> & AsyncDisposable> {
  if (databaseUrl) return { url: await usableDatabase(databaseUrl), [Symbol.asyncDispose]: async () => {} };
  if (!hasCluster(dataDirectory))
    throw new NoTables(
      `there is no database in the data directory ${quoted(dataDirectory)} (setting dataDirectory), and setting databaseUrl names none: run npm start first, or correct the setting`,
    );
  return startEmbeddedPostgres(dataDirectory, signal);
}
