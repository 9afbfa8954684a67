import { ConfigError } from "../config/config.ts";
import type { Config } from "../config/config-schema.ts";
import { databaseName } from "./database-name.ts";
import { databaseRefusal } from "./database-refusal.ts";
import { migrate, type ReportLine, requireMigrated, untilMigrated } from "./migrate.ts";
import type { Placement } from "./placement.ts";
import { usableDatabase } from "./postgres/usable-database.ts";

/**
 * The settings with the usable URL of each database that a chain or network names, as `usableDatabase` returns it. Throws `ConfigError` with
 * the setting and the reason if one cannot be used.
 */
export async function withUsableDatabases(config: Config): Promise<Config> {
  const usable = new Map<string, Promise<string>>();
  const placed = async <Entry extends { readonly databaseUrl?: string | undefined }>(
    name: string,
    entries: readonly Entry[],
  ): Promise<Entry[]> => {
    const found: Entry[] = [];
    for (const [at, entry] of entries.entries()) {
      const { databaseUrl: url } = entry;
      if (url === undefined) {
        found.push(entry);
        continue;
      }
      const known = usable.get(url) ?? usableIn(`setting ${name}.${at}.databaseUrl`, url);
      usable.set(url, known);
      found.push({ ...entry, databaseUrl: await known });
    }
    return found;
  };
  return {
    ...config,
    evmChains: await placed("evmChains", config.evmChains),
    primaryNetworks: await placed("primaryNetworks", config.primaryNetworks),
  };
}

async function usableIn(setting: string, url: string): Promise<string> {
  try {
    return await usableDatabase(url, setting);
  } catch (error) {
    const refusal = error instanceof ConfigError ? null : databaseRefusal(error, setting);
    throw refusal === null ? error : new ConfigError(refusal);
  }
}

/** A `ReportLine` that names the database, unless it is the main one. */
function reportIn(url: string, { main }: Placement, report: ReportLine): ReportLine {
  return url === main ? report : (line) => report(`${databaseName(url)}: ${line}`);
}

/**
 * Migrates all databases, one after the other, as `migrate` does. Returns the names of the migrations that were applied to any of them.
 * `directory` is that of the embedded server of the main database; null if it is another server.
 */
export async function migrateAll(
  placement: Placement,
  report: ReportLine,
  { signal, directory }: { readonly signal: AbortSignal; readonly directory: string | null },
): Promise<readonly string[]> {
  const applied = new Set<string>();
  for (const url of placement.all) {
    const options = url === placement.main ? { directory } : {};
    const names = await namedError(url, placement, migrate(url, reportIn(url, placement, report), signal, options));
    for (const name of names) applied.add(name);
  }
  return [...applied];
}

/** Waits for all databases as `untilMigrated` does. */
export async function untilAllMigrated(placement: Placement, signal: AbortSignal, report: ReportLine): Promise<void> {
  for (const url of placement.all)
    await namedError(url, placement, untilMigrated(url, signal, reportIn(url, placement, report)));
}

/** Throws as `requireMigrated` does, for any of the databases. */
export async function requireAllMigrated(placement: Placement): Promise<void> {
  for (const url of placement.all) await namedError(url, placement, requireMigrated(url));
}

/** Names the database in a `ConfigError`, unless it is the main one. */
async function namedError<Result>(url: string, { main }: Placement, task: Promise<Result>): Promise<Result> {
  try {
    return await task;
  } catch (error) {
    if (url === main || !(error instanceof ConfigError)) throw error;
    throw new ConfigError(`${databaseName(url)}: ${error.message}`);
  }
}
