import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "../../core/config/config.ts";
import { migrations } from "../../core/database/database-version.ts";
import { openSession } from "../../core/database/postgres/connect.ts";
import { tablesOfKind } from "../../core/database/table-kinds.ts";
import { BadUpstreamData, quoted } from "../../core/errors/errors.ts";
import { VERSION } from "../../core/observability/version.ts";
import { createThrottledReport } from "../evm/commands/command.ts";
import { handledLater } from "../shared/handled-later.ts";
import type { Queries } from "../shared/writer.ts";
import { packFile, packPart } from "./binary-file.ts";
import type { ChainStore } from "./chain-store.ts";
import { chainStores } from "./chain-stores.ts";
import { checkFile, deleteOthers, openDirectory, writeFile, writeManifest } from "./directory.ts";
import {
  type BlockFile,
  type ChainKey,
  chainFolder,
  chainName,
  FORMAT,
  isInScope,
  type Manifest,
  type Scope,
  type StoredFile,
  scopeName,
  type TableFiles,
  type Tip,
} from "./manifest.ts";
import { inSnapshot } from "./snapshot.ts";
import { columnsOf, tableParts } from "./table-files.ts";

/** A file ends before each multiple of this number of blocks. */
const FILE_BLOCKS = 10_000;
/** A file ends with the block with which it has this number of bytes before compression. */
const FILE_BYTES = 64 << 20;
const SAVE_INTERVAL_MS = 5_000;
/** A rollback may leave fewer blocks for a moment. */
const MAX_ROLLBACK = 100;
const NAMES = { backup: "a backup", archive: "an archive" } as const;

export interface BackupDeps {
  /** URL of the database, which may be in use. */
  readonly url: string;
  readonly directory: string;
  /** True for an archive: only raw blocks, which can be published. */
  readonly isArchive: boolean;
  /** The chains and networks to save, without anything of the installation. Default: the whole database. */
  readonly only?: Scope | undefined;
  /** True to read the files of earlier runs, and to compare their hashes. */
  readonly checksHashes: boolean;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
  /** Sizes of files. Default: 10,000 blocks, at most 64 MiB before compression. */
  readonly limits?: FileLimits;
}

interface FileLimits {
  readonly blocks: number;
  readonly bytes: number;
}

/** What a run of `writeBackup` has written. */
export interface Written {
  readonly files: number;
  readonly bytes: number;
  /** The same of all files of the directory. */
  readonly allFiles: number;
  readonly allBytes: number;
}

/**
 * Writes a backup or an archive into a directory, or adds to the one that it has what is new since. An interrupted run continues with the
 * next one. Throws `ConfigError` if the directory has another backup or is damaged, or if stored blocks do not follow one another.
 */
export async function writeBackup(deps: BackupDeps): Promise<Written> {
  const { url, directory, isArchive, checksHashes, signal, only } = deps;
  const found = openDirectory(directory);
  const kind = isArchive ? "archive" : "backup";
  if (found && found.kind !== kind)
    throw new ConfigError(`${quoted(directory)} has ${NAMES[found.kind]}: name another directory for ${NAMES[kind]}`);
  if (found && !isDeepStrictEqual(found.only, only))
    throw new ConfigError(
      `${quoted(directory)} has a backup of ${found.only ? scopeName(found.only) : "a whole database"}: name another directory for one of ${only ? scopeName(only) : "a whole database"}`,
    );
  const manifest: Manifest = {
    format: FORMAT,
    kind,
    moraine: VERSION,
    migration: migrations().at(-1)?.name ?? "",
    isComplete: found?.isComplete ?? false,
    createdAt: Math.floor(Date.now() / 1_000),
    ...(only && { only }),
    chains: found?.chains ?? [],
    tables: found?.tables ?? [],
    rules: {},
  };
  for (const { files } of manifest.chains) for (const file of files) checkFile(directory, file, checksHashes);
  const client = await openSession(url, { application_name: "moraine backup" });
  try {
    const run = createRun(deps, manifest, (task) => inSnapshot(client, task));
    const stores = (await run.snapshot(chainStores)).filter(({ key }) => isInScope(only, key));
    requireStored(stores, only);
    await run.snapshot((session) => requireSameBlocks(session, directory, manifest, stores));
    await run.begin();
    // Before the blocks, so that no row refers to a block that the backup lacks.
    if (!isArchive) await writeTables(run);
    manifest.rules = await run.snapshot((session) => loadRules(session, only));
    for (const store of stores) await writeChain(run, store);
    signal.throwIfAborted();
    manifest.isComplete = true;
    await writeManifest(directory, manifest);
    deleteOthers(directory, manifest);
    return run.written();
  } finally {
    await client.end();
  }
}

/** A backup without a chain that it was asked for would look complete. */
function requireStored(stores: readonly ChainStore<object>[], only: Scope | undefined): void {
  const stored = (table: ChainKey["table"], id: string) =>
    stores.some(({ key }) => key.table === table && key.id === id);
  const missing = {
    chains: only?.chains.filter((id) => !stored("raw_blocks", id)) ?? [],
    networks: only?.networks.filter((id) => !stored("primary_raw_blocks", id)) ?? [],
  };
  if (missing.chains.length + missing.networks.length > 0)
    throw new ConfigError(`the database has no blocks of ${scopeName(missing)}`);
}

/** A database that has fewer blocks than the directory, such as a new one, must not replace its files. */
async function requireSameBlocks(
  session: Queries,
  directory: string,
  { chains }: Manifest,
  stores: readonly ChainStore<object>[],
): Promise<void> {
  for (const { files, ...key } of chains) {
    const saved = files.at(-1)?.to ?? -1;
    const store = stores.find((one) => isSameChain(one.key, key));
    const last = store ? await store.last(session) : -1;
    // Only a reorganisation of an EVM chain can remove blocks.
    if (last >= saved - (key.table === "raw_blocks" ? MAX_ROLLBACK : 0)) continue;
    const stored = last < 0 ? "no block" : `blocks up to ${last}`;
    throw new ConfigError(
      `${quoted(directory)} has ${chainName(key)} up to block ${saved}, but the database has ${stored} of it: name another directory for the backup of this database`,
    );
  }
}

const isSameChain = (one: ChainKey, other: ChainKey): boolean =>
  one.table === other.table && one.id === other.id && one.chain === other.chain;

interface Run extends BackupDeps {
  readonly manifest: Manifest;
  snapshot<Result>(task: (session: Queries) => Promise<Result>): Promise<Result>;
  begin(): Promise<void>;
  write(file: Omit<Parameters<typeof writeFile>[1], "isSecret">, bytes: Buffer): Promise<StoredFile>;
  /** To be called after the manifest has changed. Writes it from time to time. */
  changed(): Promise<void>;
  written(): Written;
}

function createRun(deps: BackupDeps, manifest: Manifest, snapshot: Run["snapshot"]): Run {
  const { directory, isArchive } = deps;
  let files = 0;
  let bytes = 0;
  let savedAt = performance.now();
  const save = () => {
    savedAt = performance.now();
    return writeManifest(directory, manifest);
  };
  return {
    ...deps,
    manifest,
    snapshot,
    begin: save,
    async write(file, content) {
      const stored = await writeFile(directory, { ...file, isSecret: !isArchive }, content);
      files++;
      bytes += stored.bytes;
      return stored;
    },
    async changed() {
      if (performance.now() - savedAt > SAVE_INTERVAL_MS) await save();
    },
    written() {
      const all: StoredFile[] = [...manifest.chains, ...manifest.tables].flatMap((one) => one.files as StoredFile[]);
      return { files, bytes, allFiles: all.length, allBytes: all.reduce((sum, file) => sum + file.bytes, 0) };
    },
  };
}

/** All tables as they are at one moment. */
async function writeTables(run: Run): Promise<void> {
  run.manifest.tables = await run.snapshot(async (session) => {
    const tables: TableFiles[] = [];
    // ABIs of a chain, which are the installation's own, stay in the main database.
    for (const table of run.only ? tablesOfKind("read") : tablesOfKind("own", "read")) {
      const files: StoredFile[] = [];
      for await (const { rows, bytes } of tableParts(session, table, run.only)) {
        run.signal.throwIfAborted();
        files.push(
          await run.write({ folder: "tables", name: `${table}-${files.length}`, extension: "jsonl.gz", rows }, bytes),
        );
      }
      if (files.length > 0) tables.push({ table, columns: columnsOf(table), files });
    }
    return tables;
  });
  run.report(`${run.manifest.tables.length} tables written`);
}

async function loadRules(session: Queries, only: Scope | undefined): Promise<Record<string, string>> {
  const rows = await session.query<{ network_id: string; rules: string }>(
    "SELECT network_id, rules FROM primary_networks",
  );
  const wanted = rows.filter(({ network_id }) => isInScope(only, { table: "primary_raw_blocks", id: network_id }));
  return Object.fromEntries(wanted.map(({ network_id, rules }) => [network_id, rules]));
}

async function writeChain<Row extends object>(run: Run, store: ChainStore<Row>): Promise<void> {
  const { manifest, snapshot, signal, report, limits = { blocks: FILE_BLOCKS, bytes: FILE_BYTES } } = run;
  const { key } = store;
  const files = filesOf(manifest, store);
  await rewriteChanged(run, store, files);
  const throttled = createThrottledReport(report);
  for (let isMore = true; isMore; ) {
    signal.throwIfAborted();
    const next = await snapshot(async (session) => {
      for (let file = files.at(-1); file && !(await store.isCurrent(session, file)); file = files.at(-1)) files.pop();
      const last = await store.last(session);
      const before = files.at(-1);
      const from = before && !before.isFull ? before.from : (before?.to ?? -1) + 1;
      const end = Math.min(last, from + limits.blocks - (from % limits.blocks) - 1);
      // The last file is complete as far as the chain goes.
      if (from > last || (before && !before.isFull && before.to === last)) return null;
      const tip = (before?.isFull ? before : files.at(-2))?.tip ?? null;
      return { ...(await readFile(store, session, { from, to: end, tip, maxBytes: limits.bytes })), from, last, end };
    });
    if (!next) break;
    const { from, to, last } = next;
    const isFull = (to + 1) % limits.blocks === 0 || to < next.end;
    const file = await writeBlocks(run, store, { ...next, isFull });
    if (files.at(-1)?.from === from) files.pop();
    files.push(file);
    await run.changed();
    isMore = to < last;
    const line = () => `${chainName(key)}: ${to} of ${last}`;
    if (isMore) throttled(line);
    else report(line());
  }
}

/** The files of the chain in the manifest. */
function filesOf({ chains }: Manifest, { key }: ChainStore<object>): BlockFile[] {
  const known = chains.find((one) => isSameChain(one, key));
  if (known) return known.files;
  const files: BlockFile[] = [];
  chains.push({ ...key, files });
  return files;
}

/** Writes files again whose blocks got call trees or times meanwhile. */
async function rewriteChanged<Row extends object>(run: Run, store: ChainStore<Row>, files: BlockFile[]): Promise<void> {
  const changed = await run.snapshot((session) => store.changed(session, files));
  for (const [i, file] of files.entries()) {
    if (!changed.has(file)) continue;
    run.signal.throwIfAborted();
    const { from, to, isFull } = file;
    const tip = files[i - 1]?.tip ?? null;
    const read = await run.snapshot(async (session) =>
      (await store.isCurrent(session, file))
        ? readFile(store, session, { from, to, tip, maxBytes: Number.POSITIVE_INFINITY })
        : null,
    );
    if (read) files[i] = await writeBlocks(run, store, { ...read, from, isFull });
    await run.changed();
  }
}

interface FileContent {
  readonly to: number;
  readonly rows: number;
  readonly mark: number;
  readonly tip: Tip | null;
  readonly parts: readonly Promise<Buffer>[];
}

/** Reads the blocks of one file, and checks that they follow one another. */
async function readFile<Row extends object>(
  store: ChainStore<Row>,
  session: Queries,
  { from, to, tip: before, maxBytes }: { from: number; to: number; tip: Tip | null; maxBytes: number },
): Promise<FileContent> {
  const parts: Promise<Buffer>[] = [];
  let [tip, at, bytes, mark] = [before, from, 0, 0];
  while (at <= to && bytes < maxBytes) {
    const page = await store.read(session, at, to);
    const taken: Row[] = [];
    for (const row of page) {
      if (bytes >= maxBytes) break;
      tip = followed(store, { tip, at, row });
      at++;
      bytes += store.bytesOf(row);
      if (store.isMarked(row)) mark++;
      taken.push(row);
    }
    if (taken.length === 0) throw brokenChain(store, `block ${at} is missing`);
    // It is compressed while the next rows are read.
    parts.push(handledLater(packPart(store.columns, store.key.id, taken)));
  }
  return { to: at - 1, rows: at - from, mark, tip, parts };
}

function followed<Row extends object>(
  store: ChainStore<Row>,
  { tip, at, row }: { tip: Tip | null; at: number; row: Row },
): Tip | null {
  try {
    if (store.positionOf(row) !== at) throw new BadUpstreamData(`block ${at} is missing`);
    return store.follow(tip, row);
  } catch (error) {
    throw error instanceof BadUpstreamData ? brokenChain(store, error.message) : error;
  }
}

function brokenChain({ key }: Pick<ChainStore<object>, "key">, reason: string): ConfigError {
  const remedy =
    key.table === "raw_blocks"
      ? `\`moraine gaps --chain ${key.id} --repair\` fetches missing blocks`
      : "restore an earlier backup, or index the network again";
  return new ConfigError(`the stored blocks of ${chainName(key)} do not follow one another: ${reason}; ${remedy}`);
}

async function writeBlocks<Row extends object>(
  run: Run,
  { key }: ChainStore<Row>,
  { parts, rows, from, to, isFull, tip, mark }: FileContent & { readonly from: number; readonly isFull: boolean },
): Promise<BlockFile> {
  const file = { folder: chainFolder(key), name: `${from}-${to}`, extension: "copy.gz", rows };
  return { ...(await run.write(file, await packFile(parts))), from, to, isFull, tip, mark };
}
