import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ConfigError } from "../../core/config/config.ts";
import { createDirectory } from "../../core/config/data-directory.ts";
import { messageOf, quoted } from "../../core/errors/errors.ts";
import { sha256 } from "../../core/formats/codec/bytes/hashes.ts";
import { MANIFEST, type Manifest, parseManifest, type StoredFile } from "./manifest.ts";

/** The suffix of a file that is not complete. */
export const PART = ".part";
/** Characters of the hash that are in the name of a file. */
const HASH_CHARACTERS = 8;
/** A backup has the secrets of the installation. */
const OWNER_ONLY = 0o600;
const OWNER_ONLY_DIRECTORY = 0o700;
const ANYONE = 0o644;

/** Creates the directory of a backup, and returns its manifest; null before the first run. Throws `ConfigError`. */
export function openDirectory(directory: string): Manifest | null {
  const path = join(directory, MANIFEST);
  try {
    if (!existsSync(directory)) createDirectory(directory);
    if (existsSync(path)) return parseManifest(readFileSync(path, "utf8"), path);
    const [other] = readdirSync(directory).filter((name) => !isOwn(name));
    if (other !== undefined)
      throw new ConfigError(
        `${quoted(directory)} has ${other} and no ${MANIFEST}: name an empty directory, or that of a backup`,
      );
    return null;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`the directory ${quoted(directory)} cannot be used: ${messageOf(error)}`);
  }
}

/** Names of what an interrupted first run has written. */
const isOwn = (name: string): boolean =>
  name === MANIFEST + PART || name === "tables" || name === "lost+found" || /^(evm|primary)-\d+/.test(name);

/** Writes a file below the directory, and returns its name, size and hash. It is complete or not there, also after a loss of power. */
export async function writeFile(
  directory: string,
  { folder, name, extension, rows, isSecret }: NewFile,
  bytes: Buffer,
): Promise<StoredFile> {
  const hash = sha256(bytes);
  const path = `${folder}/${name}-${hash.slice(0, HASH_CHARACTERS)}.${extension}`;
  await mkdir(join(directory, folder), { recursive: true, ...(isSecret && { mode: OWNER_ONLY_DIRECTORY }) });
  await writeDurably(join(directory, path), bytes, isSecret);
  return { path, rows, bytes: bytes.length, sha256: hash };
}

interface NewFile {
  readonly folder: string;
  readonly name: string;
  readonly extension: string;
  readonly rows: number;
  /** True if only the owner may read it. */
  readonly isSecret: boolean;
}

export function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  return writeDurably(join(directory, MANIFEST), Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`), false);
}

async function writeDurably(path: string, bytes: Buffer, isSecret: boolean): Promise<void> {
  const part = path + PART;
  try {
    await using file = await open(part, "w", isSecret ? OWNER_ONLY : ANYONE);
    await file.writeFile(bytes);
    await file.sync();
  } catch (error) {
    throw new ConfigError(
      `${quoted(path)} cannot be written: ${messageOf(error)}; correct this, then run the command again, which continues`,
    );
  }
  await rename(part, path);
  await using folder = await open(dirname(path), "r");
  // Not all systems can do this with a directory.
  await folder.sync().catch(() => {});
}

/** Throws `ConfigError` if a file is missing, or has another size or, with `readsAll`, another hash than its manifest says. */
export function checkFile(directory: string, { path, bytes, sha256: hash }: StoredFile, readsAll: boolean): void {
  const full = join(directory, path);
  const found = existsSync(full) ? statSync(full).size : -1;
  if (found === bytes && !(readsAll && sha256(readFileSync(full)) !== hash)) return;
  const reason = found < 0 ? "is missing" : "is damaged: its size or its hash is not that of the manifest";
  throw new ConfigError(
    `${quoted(full)} ${reason}; restore it from a copy, or write the backup into another directory`,
  );
}

/** Deletes what a manifest does not name: files that were replaced, and those that an interrupted run has left. */
export function deleteOthers(directory: string, { chains, tables }: Manifest): void {
  const known = new Set([...chains, ...tables].flatMap(({ files }) => files.map(({ path }) => path)));
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (!entry.isDirectory() || !isOwn(entry.name)) continue;
    const folder = join(directory, entry.name);
    for (const name of readdirSync(folder)) if (!known.has(`${entry.name}/${name}`)) rmSync(join(folder, name));
  }
}
