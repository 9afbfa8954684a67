import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { createTables, requireMigrated } from "../core/database/migrate.ts";
import { sizeText } from "../core/database/migration-space.ts";
import { usableDatabase } from "../core/database/postgres/usable-database.ts";
import { openCommandDatabase } from "../core/embedded-postgres/command-database.ts";
import { hasCluster, startEmbeddedPostgres } from "../core/embedded-postgres/embedded-postgres.ts";
import { quoted } from "../core/errors/errors.ts";
import { createLogger } from "../core/observability/logger.ts";
import { type Written, writeBackup } from "../indexer/archive/backup.ts";
import { openDirectory } from "../indexer/archive/directory.ts";
import { importChains } from "../indexer/archive/import-chains.ts";
import { prepareTarget, type Restored, restoreBackup } from "../indexer/archive/restore.ts";
import { type FileSource, openSourceDirectory } from "../indexer/archive/source-directory.ts";
import { openSourceUrl } from "../indexer/archive/source-url.ts";
import { joinDemo } from "./demo.ts";
import { endedByUser } from "./ended-by-user.ts";
import type { Outcome } from "./program/command.ts";
import { processUsing } from "./reload.ts";

const INTERRUPTED = "interrupted: run the command again to continue";
const report = (line: string): void => console.error(line);

interface BackupOptions {
  readonly to: string;
  readonly isArchive: boolean;
  readonly checksHashes: boolean;
}

/** `moraine backup`. */
export async function backUp(options: BackupOptions, flags: readonly string[]): Promise<Outcome> {
  const config = loadConfig(process.env, flags);
  const signal = endedByUser(INTERRUPTED);
  await using database = await openCommandDatabase(config, signal);
  const directory = resolve(options.to);
  const written = await writeBackup({ ...options, url: database.url, directory, signal, report });
  return { text: writtenText(directory, written), data: { directory, ...written } };
}

const writtenText = (directory: string, { files, bytes, allFiles, allBytes }: Written): string =>
  `${files} files with ${sizeText(bytes)} written; ${directory} has ${allFiles} files with ${sizeText(allBytes)}`;

/** `moraine restore`. */
export async function restore(from: string, flags: readonly string[]): Promise<Outcome> {
  const config = loadConfig(process.env, flags);
  const signal = endedByUser(INTERRUPTED);
  const source = await openSource(from, config, signal);
  await using target = await openTarget(config, signal);
  const restored = await restoreBackup({ url: target.url, source, signal, report });
  return { text: restoredText(restored), data: restored };
}

function restoredText({ chains, rows }: Restored): string {
  const lines = chains.map(({ name, last }) => `${name}: up to block ${last}`);
  return [
    ...lines,
    `${rows} rows restored. Next: start Moraine (npm start), which computes all other rows and then follows the nodes; moraine status says how far it is, and moraine verify compares a primary network with its node`,
  ].join("\n");
}

/** `moraine restore --raw`. */
export async function importArchive(from: string, flags: readonly string[]): Promise<Outcome> {
  const configured = loadConfig(process.env, flags);
  const signal = endedByUser(INTERRUPTED);
  const source = await openSource(from, configured, signal);
  await using target = await openTarget(configured, signal);
  await createTables(target.url, { report, signal });
  await using demo = await joinDemo(configured);
  const { indexing, logLevel } = demo.config;
  const deps = { url: target.url, source, indexing, logger: createLogger(logLevel), signal, report };
  const imported = await importChains(deps, demo.config);
  const lines = imported.map(({ name, blocks, last }) => `${name}: ${blocks} blocks imported, up to ${last}`);
  const next = "Next: start Moraine (npm start), which fetches the following blocks from the nodes";
  return { text: [...lines, next].join("\n"), data: { chains: imported } };
}

/** `moraine move`: the embedded database to the one that `databaseUrl` names. */
export async function moveDatabase(through: string | undefined, flags: readonly string[]): Promise<Outcome> {
  const config = loadConfig(process.env, flags);
  const { databaseUrl, dataDirectory } = config;
  if (databaseUrl === undefined)
    throw new ConfigError(
      "setting databaseUrl must name the database to move to: moraine move --database-url postgresql://…",
    );
  if (!hasCluster(dataDirectory))
    throw new ConfigError(`there is no embedded database in ${quoted(dataDirectory)} (setting dataDirectory)`);
  // What it wrote after the backup would be missing in the other database.
  const pid = processUsing(dataDirectory);
  if (pid !== null)
    throw new ConfigError(
      `process ${pid} runs Moraine with the data directory ${quoted(dataDirectory)}: stop it, then run the command again`,
    );
  const signal = endedByUser(INTERRUPTED);
  const directory = through === undefined ? join(resolve(dataDirectory), "move") : resolve(through);
  const url = await usableDatabase(databaseUrl);
  // After an interrupted restore, the same backup must be restored.
  if (!openDirectory(directory)?.isComplete) {
    await prepareTarget({ url, signal, report });
    await backUpEmbedded(dataDirectory, directory, signal);
  }
  const restored = await restoreBackup({ url, source: openSourceDirectory(directory), signal, report });
  rmSync(directory, { recursive: true });
  return { text: `${restoredText(restored)}. Start it with the same databaseUrl (DATABASE_URL)`, data: restored };
}

async function backUpEmbedded(dataDirectory: string, directory: string, signal: AbortSignal): Promise<void> {
  await using embedded = await startEmbeddedPostgres(dataDirectory, signal);
  await requireMigrated(embedded.url);
  await writeBackup({ url: embedded.url, directory, isArchive: false, checksHashes: false, signal, report });
}

/** The database that is filled. The embedded one is created if it does not exist. */
async function openTarget(
  { databaseUrl, dataDirectory }: Config,
  signal: AbortSignal,
): Promise<AsyncDisposable & { readonly url: string }> {
  if (databaseUrl === undefined) return startEmbeddedPostgres(dataDirectory, signal);
  return { url: await usableDatabase(databaseUrl), [Symbol.asyncDispose]: async () => {} };
}

async function openSource(from: string, { dataDirectory }: Config, signal: AbortSignal): Promise<FileSource> {
  if (!/^https?:\/\//i.test(from)) return openSourceDirectory(resolve(from));
  return openSourceUrl({ url: from, downloads: join(resolve(dataDirectory), "downloads"), signal });
}
