import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { withUsableDatabases } from "../core/database/cells.ts";
import { createTables, requireMigrated } from "../core/database/migrate.ts";
import { sizeText } from "../core/database/migration-space.ts";
import { type Placement, placementOf, settingsIn } from "../core/database/placement.ts";
import { usableDatabase } from "../core/database/postgres/usable-database.ts";
import { openCommandDatabase } from "../core/embedded-postgres/command-database.ts";
import { hasCluster, startEmbeddedPostgres } from "../core/embedded-postgres/embedded-postgres.ts";
import { quoted } from "../core/errors/errors.ts";
import { createLogger } from "../core/observability/logger.ts";
import { type Written, writeBackup } from "../indexer/archive/backup.ts";
import { openDirectory } from "../indexer/archive/directory.ts";
import { importChains } from "../indexer/archive/import-chains.ts";
import type { Imported } from "../indexer/archive/import-evm.ts";
import { isInScope, type Scope } from "../indexer/archive/manifest.ts";
import { prepareTarget, type Restored, restoreBackup } from "../indexer/archive/restore.ts";
import { type FileSource, openSourceDirectory } from "../indexer/archive/source-directory.ts";
import { openSourceUrl } from "../indexer/archive/source-url.ts";
import { joinDemo } from "./demo.ts";
import { endedByUser } from "./ended-by-user.ts";
import type { Outcome } from "./program/command.ts";
import { processUsing } from "./reload.ts";

const INTERRUPTED = "interrupted: run the command again to continue";
const report = (line: string): void => console.error(line);

const SAVE_OTHERS = "Save it with --chain or --network-id, and another directory";
const ARCHIVE_OTHERS = "Write an archive of its database with --database-url, and another directory";

interface BackupOptions {
  readonly to: string;
  readonly isArchive: boolean;
  readonly checksHashes: boolean;
  /** EVM chain id, if only some chains are saved. */
  readonly chain?: string | undefined;
  /** Network id, if only some chains are saved. */
  readonly network?: string | undefined;
}

/** `moraine backup`. */
export async function backUp(options: BackupOptions, flags: readonly string[]): Promise<Outcome> {
  const config = loadConfig(process.env, flags);
  const signal = endedByUser(INTERRUPTED);
  await using database = await openCommandDatabase(config, signal);
  const directory = resolve(options.to);
  const only = scopeOf(options);
  const placement = await database.placement();
  const url = only ? databaseOf(only, placement) : database.url;
  const written = await writeBackup({ ...options, only, url, directory, signal, report });
  const others = only ? [] : placedElsewhere(config, placement);
  const lines = others.map((name) => `not in this backup, because it is in another database: ${name}`);
  if (others.length > 0) lines.push(options.isArchive ? ARCHIVE_OTHERS : SAVE_OTHERS);
  return { text: [writtenText(directory, written), ...lines].join("\n"), data: { directory, ...written, others } };
}

/** The chains and networks that are asked for; undefined for the whole database. */
function scopeOf({ chain, network, isArchive }: BackupOptions): Scope | undefined {
  if (chain === undefined && network === undefined) return undefined;
  if (isArchive) throw new ConfigError("--raw writes all chains of the database: leave --chain and --network-id out");
  const idsOf = (option: string, id: string | undefined) => {
    if (id !== undefined && !/^[1-9]\d{0,14}$/.test(id))
      throw new ConfigError(`--${option} is ${quoted(id)}: must be a number`);
    return id === undefined ? [] : [id];
  };
  return { chains: idsOf("chain", chain), networks: idsOf("network-id", network) };
}

/** The database that has the chains and networks of a scope. Throws `ConfigError` if they are in several ones. */
function databaseOf({ chains, networks }: Scope, placement: Placement): string {
  const [url = placement.main, ...others] = new Set([...chains.map(placement.evm), ...networks.map(placement.primary)]);
  if (others.length === 0) return url;
  throw new ConfigError(
    "the chain and the primary network are in different databases by the settings (databaseUrl of entries of evmChains and primaryNetworks): they must be in the same one",
  );
}

/** Names of the chains and networks that are not in the main database. */
function placedElsewhere({ evmChains, primaryNetworks }: Config, { main, evm, primary }: Placement): string[] {
  return [
    ...evmChains.filter(({ chainId }) => evm(chainId) !== main).map(({ chainId }) => `chain ${chainId}`),
    ...primaryNetworks
      .filter(({ networkId }) => primary(networkId) !== main)
      .map(({ networkId }) => `primary network ${networkId}`),
  ];
}

const writtenText = (directory: string, { files, bytes, allFiles, allBytes }: Written): string =>
  `${files} files with ${sizeText(bytes)} written; ${directory} has ${allFiles} files with ${sizeText(allBytes)}`;

/** `moraine restore`. */
export async function restore(from: string, flags: readonly string[]): Promise<Outcome> {
  const config = loadConfig(process.env, flags);
  const signal = endedByUser(INTERRUPTED);
  const source = await openSource(from, config, signal);
  await using target = await openTarget(config, signal);
  const { only } = source.manifest;
  const url = only ? databaseOf(only, placementOf(await withUsableDatabases(config), target.url)) : target.url;
  const restored = await restoreBackup({ url, source, signal, report });
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
  const placed = await withUsableDatabases(configured);
  await using demo = await joinDemo(placed);
  const placement = placementOf(demo.config, target.url);
  const { indexing, logLevel } = demo.config;
  const deps = { source, indexing, logger: createLogger(logLevel), signal, report };
  const databases = placement.all.filter((url) => hasAny(source, settingsIn(demo.config, placement, url)));
  const imported: Imported[] = [];
  for (const url of databases.length === 0 ? [target.url] : databases) {
    await createTables(url, { report, signal });
    imported.push(...(await importChains({ ...deps, url }, settingsIn(demo.config, placement, url))));
  }
  const lines = imported.map(({ name, blocks, last }) => `${name}: ${blocks} blocks imported, up to ${last}`);
  const next = "Next: start Moraine (npm start), which fetches the following blocks from the nodes";
  return { text: [...lines, next].join("\n"), data: { chains: imported } };
}

/** True if the archive has a chain of the settings. */
function hasAny({ manifest }: FileSource, { evmChains, primaryNetworks }: Config): boolean {
  const chains = evmChains.map(({ chainId }) => String(chainId));
  const networks = primaryNetworks.map(({ networkId }) => String(networkId));
  return manifest.chains.some((one) => isInScope({ chains, networks }, one));
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
