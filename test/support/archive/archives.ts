import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import type { Config } from "../../../core/config/config-schema.ts";
import { tablesOfKind } from "../../../core/database/table-kinds.ts";
import { sha256 } from "../../../core/formats/codec/bytes/hashes.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { type BackupDeps, writeBackup } from "../../../indexer/archive/backup.ts";
import { importChains } from "../../../indexer/archive/import-chains.ts";
import type { Imported } from "../../../indexer/archive/import-evm.ts";
import type { ChainFiles, Manifest } from "../../../indexer/archive/manifest.ts";
import { restoreBackup } from "../../../indexer/archive/restore.ts";
import { type FileSource, openSourceDirectory } from "../../../indexer/archive/source-directory.ts";

const SILENT = { signal: new AbortController().signal, report: () => {} };
/** Small, so that chains of recordings have several files. */
export const SMALL_FILES = { blocks: 64, bytes: 1 << 20 };

/** A directory that is deleted when it is disposed. */
export interface Folder extends Disposable {
  readonly path: string;
}

export function createFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "moraine-archive-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A changed copy of a backup or an archive. */
export function copyOfArchive({ path }: Folder): Folder {
  const copy = createFolder();
  cpSync(path, copy.path, { recursive: true });
  return copy;
}

/** Writes a backup, or with `isArchive` an archive. */
export const write = (url: string, { path }: Folder, options: Partial<BackupDeps> = {}) =>
  writeBackup({
    url,
    directory: path,
    isArchive: false,
    checksHashes: false,
    limits: SMALL_FILES,
    ...SILENT,
    ...options,
  });

export const restore = async (url: string, { path }: Folder) =>
  restoreBackup({ url, source: openSourceDirectory(path), ...SILENT });

/** Imports the chains of an archive that the settings have. The nodes of the settings do not answer. */
export function importAll(url: string, source: FileSource, config: Config): Promise<Imported[]> {
  const nodeless = <Chain>(chain: Chain): Chain => ({ ...chain, nodeUrl: "http://127.0.0.1:1" });
  const { evmChains, primaryNetworks, indexing } = config;
  const settings = { evmChains: evmChains.map(nodeless), primaryNetworks: primaryNetworks.map(nodeless) };
  return importChains({ url, source, indexing, logger: createLogger("silent"), ...SILENT }, settings);
}

export const manifestOf = ({ path }: Pick<Folder, "path">): Manifest =>
  JSON.parse(readFileSync(join(path, "manifest.json"), "utf8")) as Manifest;

/** The files of a chain: an EVM chain id, or a network id and P or X, such as `5P`. */
export const chainOf = (manifest: Manifest, key: string): ChainFiles =>
  manifest.chains.find(({ id, chain }) => id + chain === key) as ChainFiles;

/** Changes a file, and the manifest with it, as someone does who wants to hide the change. */
export function forgeFile({ path: folder }: Folder, path: string, change: (bytes: Buffer) => Buffer): void {
  const bytes = change(readFileSync(join(folder, path)));
  writeFileSync(join(folder, path), bytes);
  const manifest = manifestOf({ path: folder });
  for (const { files } of manifest.chains)
    for (const file of files)
      if (file.path === path) Object.assign(file, { bytes: bytes.length, sha256: sha256(bytes) });
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
}

const CURRENT_BLOCKS = `SELECT DISTINCT ON (chain_id, block_number) chain_id, block_number, block_hash, parent_hash, md5(payload) AS payload
  FROM raw_blocks WHERE payload IS NOT NULL ORDER BY chain_id, block_number, seq DESC`;

/** All rows that cannot be computed again, as text: for each table its sorted rows. */
export async function savedRows(pool: pg.Pool): Promise<Record<string, readonly string[]>> {
  const tables = tablesOfKind("raw", "read", "own").map((table) => [
    table,
    table === "raw_blocks" ? CURRENT_BLOCKS : `SELECT * FROM ${table}`,
  ]);
  const rows: Record<string, readonly string[]> = {};
  for (const [table = "", text] of tables) {
    const lines = await pool.query<{ line: string }>(`SELECT row_to_json(t)::text AS line FROM (${text}) t ORDER BY 1`);
    rows[table] = lines.rows.map(({ line }) => line);
  }
  return rows;
}
