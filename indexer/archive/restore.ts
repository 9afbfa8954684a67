import { ConfigError } from "../../core/config/config.ts";
import { createTables } from "../../core/database/migrate.ts";
import type { TableName } from "../../core/database/table-columns.ts";
import { TABLE_KINDS } from "../../core/database/table-kinds.ts";
import { BadUpstreamData } from "../../core/errors/errors.ts";
import { createThrottledReport } from "../evm/commands/command.ts";
import { createPartitionsOf } from "../shared/partitions.ts";
import { pgBytes } from "../shared/pg-bytes.ts";
import { type Session, tryBecomeWriter, type Writer } from "../shared/writer.ts";
import { unpackRows } from "./binary-file.ts";
import type { ChainStore } from "./chain-store.ts";
import { chainStoreOf } from "./chain-stores.ts";
import {
  type BlockFile,
  type ChainFiles,
  chainName,
  type Scope,
  type StoredFile,
  scopeName,
  type TableFiles,
  type Tip,
  whereInScope,
} from "./manifest.ts";
import type { FileSource } from "./source-directory.ts";
import { columnsOf, insertPart, RESET_SEQUENCES } from "./table-files.ts";

type Target = Pick<RestoreDeps, "url" | "report" | "signal">;

export interface RestoreDeps {
  /** URL of the database. */
  readonly url: string;
  readonly source: FileSource;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
}

/** What was restored. */
export interface Restored {
  /** The chains, each with its last block. */
  readonly chains: readonly { readonly name: string; readonly last: number }[];
  readonly rows: number;
}

/**
 * Loads a backup into an empty database, whose tables it creates; a backup of some chains also into a database that has other chains. The
 * rows that follow from it are computed at the next start. An interrupted restore of the same backup continues. Throws `ConfigError` if
 * the database has rows or the backup is damaged.
 */
export async function restoreBackup(deps: RestoreDeps): Promise<Restored> {
  const { url, source, report, signal } = deps;
  const { manifest } = source;
  if (manifest.kind !== "backup")
    throw new ConfigError("this is an archive, which has only raw blocks: moraine restore --raw imports it");
  if (!manifest.isComplete)
    throw new ConfigError("the backup is not complete: run moraine backup again, which continues");
  requireKnownTables(manifest.tables);
  await using writer = await openTarget({ url, report, signal });
  const run = { ...deps, writer, restored: await begin(writer, source) };
  for (const table of manifest.tables) await restoreTable(run, table);
  for (const chain of manifest.chains) await restoreChain(run, chain);
  await writer.transaction(async (session) => {
    await session.query(RESET_SEQUENCES);
    await session.query("DELETE FROM restored_files");
  });
  const files = [...manifest.chains, ...manifest.tables].flatMap((one): readonly StoredFile[] => one.files);
  return {
    chains: manifest.chains.map((chain) => ({ name: chainName(chain), last: chain.files.at(-1)?.to ?? -1 })),
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
  };
}

interface Run extends RestoreDeps {
  readonly writer: Writer;
  /** Paths of the files that an interrupted run has loaded. */
  readonly restored: ReadonlySet<string>;
}

function requireKnownTables(tables: readonly TableFiles[]): void {
  const unknown = tables.find(({ table }) => {
    const kind = TABLE_KINDS[table as TableName];
    return kind !== "own" && kind !== "read";
  });
  if (unknown)
    throw new ConfigError(
      `the backup has a table ${unknown.table}, which this version of Moraine does not restore: use the version that wrote the backup`,
    );
}

/** Creates the tables of a database into which a backup will be restored. Throws `ConfigError` if it has rows. */
export async function prepareTarget(target: Target): Promise<void> {
  await using writer = await openTarget(target);
  await writer.transaction((session) => requireEmpty(session));
}

async function openTarget({ url, report, signal }: Target): Promise<Writer> {
  await createTables(url, { report, signal, isRestore: true });
  const writer = await tryBecomeWriter(url, "restore");
  if (!writer) throw new ConfigError("another process restores a backup into this database");
  return writer;
}

/** Marks the database as one into which this backup is restored. Returns the files that are loaded already. */
function begin(writer: Writer, { manifest, manifestHash }: FileSource): Promise<ReadonlySet<string>> {
  return writer.transaction(async (session) => {
    const rows = await session.query<{ path: string; backup: Buffer }>("SELECT path, backup FROM restored_files");
    if (rows.some(({ backup }) => backup.toString("hex") !== manifestHash))
      throw new ConfigError(
        "the database has a part of another backup, or this backup has changed since: drop the database and restore into an empty one",
      );
    if (rows.length === 0) await requireEmpty(session, manifest.only);
    if (rows.length === 0) await markRestored(session, "", manifestHash);
    return new Set(rows.map(({ path }) => path));
  });
}

/** The database must have no rows: none at all, or none of the chains and networks of a scope. */
async function requireEmpty(session: Session, only?: Scope): Promise<void> {
  const tables = Object.keys(TABLE_KINDS) as TableName[];
  const selects = tables.flatMap((table) => {
    const where = whereInScope(only, columnsOf(table));
    // The operator's own rows of a chain, such as ABIs, are no rows of the backup.
    if (where === null || (only && TABLE_KINDS[table] === "own")) return [];
    return [`SELECT '${table}' AS name WHERE EXISTS (SELECT 1 FROM ${table} ${where} LIMIT 1)`];
  });
  const filled = await session.query<{ name: string }>(selects.join(" UNION ALL "));
  if (filled.length === 0) return;
  const names = filled.map(({ name }) => name);
  const more = names.length > 3 ? ` and ${names.length - 3} others` : "";
  if (only)
    throw new ConfigError(
      `the database has rows of ${scopeName(only)}: ${names.slice(0, 3).join(", ")}${more}; set databaseUrl of the chain or network to the database that it moves to, or drop what is there (moraine drop)`,
    );
  throw new ConfigError(
    `the database is not empty: ${names.slice(0, 3).join(", ")}${more} have rows; restore into an empty database, or with an empty dataDirectory`,
  );
}

async function markRestored(session: Session, path: string, manifestHash: string): Promise<void> {
  await session.query("INSERT INTO restored_files (path, backup) VALUES ($1, $2)", [path, pgBytes(manifestHash)]);
}

async function restoreTable({ source, writer, restored, signal }: Run, table: TableFiles): Promise<void> {
  for (const file of table.files) {
    if (restored.has(file.path)) continue;
    signal.throwIfAborted();
    const bytes = await source.read(file);
    await createPartitionsFor(writer, source, table.table);
    await writer.transaction(async (session) => {
      await insertPart(session, table, bytes);
      await markRestored(session, file.path, source.manifestHash);
    });
    source.release(file);
  }
}

/** Some tables have a partition for each EVM chain. */
async function createPartitionsFor(writer: Writer, { manifest }: FileSource, table: string): Promise<void> {
  const text = "SELECT FROM pg_class WHERE oid = to_regclass($1) AND relkind = 'p'";
  const isPartitioned = (await writer.transaction((session) => session.query(text, [table]))).length > 0;
  if (!isPartitioned) return;
  for (const chain of manifest.chains)
    if (chain.table === "raw_blocks") await createPartitionsOf(writer, [table], chain.id);
}

async function restoreChain(run: Run, chain: ChainFiles): Promise<void> {
  const { source, writer, restored, signal, report } = run;
  const store = chainStoreOf(chain);
  await store.prepare(writer);
  const throttled = createThrottledReport(report);
  for (const [i, file] of chain.files.entries()) {
    if (restored.has(file.path)) continue;
    signal.throwIfAborted();
    const next = chain.files[i + 1];
    const reading = source.read(file);
    if (next) source.expect(next);
    const rows = await checkedRows(store, file, chain.files[i - 1]?.tip ?? null, await reading);
    await writer.transaction(async (session) => {
      await store.insert(session, rows);
      await markRestored(session, file.path, source.manifestHash);
    });
    source.release(file);
    throttled(() => `${chainName(chain)}: ${file.to} of ${chain.files.at(-1)?.to}`);
  }
}

/** The blocks of a file, which must follow the tip. Throws `ConfigError`, which names the file. */
async function checkedRows<Row>(
  store: ChainStore<Row>,
  file: BlockFile,
  before: Tip | null,
  bytes: Buffer,
): Promise<readonly Row[]> {
  try {
    const rows = await unpackRows<Row>(store.columns, bytes);
    let tip = before;
    rows.forEach((row, i) => {
      if (store.positionOf(row) !== file.from + i) throw new BadUpstreamData(`block ${file.from + i} is missing`);
      tip = store.follow(tip, row);
    });
    if (rows.length !== file.to - file.from + 1 || (tip as Tip | null)?.blockId !== file.tip?.blockId)
      throw new BadUpstreamData("its last block is not that of the manifest");
    return rows;
  } catch (error) {
    if (!(error instanceof BadUpstreamData)) throw error;
    throw new ConfigError(`the file ${file.path} of the backup cannot be used: ${error.message}`);
  }
}
