import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "../../core/config/config.ts";
import { messageOf, quoted } from "../../core/errors/errors.ts";
import { sha256 } from "../../core/formats/codec/bytes/hashes.ts";
import { MANIFEST, type Manifest, parseManifest, type StoredFile } from "./manifest.ts";

/** The files of a backup or an archive, in a directory or at a URL. */
export interface FileSource {
  readonly manifest: Manifest;
  /** SHA-256 of the manifest. */
  readonly manifestHash: string;
  /** Throws `ConfigError`, which names the file, if it is missing or its hash is not that of the manifest. */
  read(file: StoredFile): Promise<Buffer>;
  /** Starts to read a file that is needed soon. */
  expect(file: StoredFile): void;
  /** The file is not needed again. */
  release(file: StoredFile): void;
}

/** Throws `ConfigError` if the directory has no manifest. */
export function openSourceDirectory(directory: string): FileSource {
  const path = join(directory, MANIFEST);
  if (!existsSync(path))
    throw new ConfigError(`${quoted(directory)} has no ${MANIFEST}: it is no backup and no archive`);
  const text = readFileSync(path, "utf8");
  return {
    manifest: parseManifest(text, path),
    manifestHash: sha256(Buffer.from(text)),
    async read(file) {
      const full = join(directory, file.path);
      const bytes = await readFile(full).catch((error: unknown) => {
        throw new ConfigError(`${quoted(full)} cannot be read: ${messageOf(error)}`);
      });
      requireHash(full, file, bytes);
      return bytes;
    },
    expect() {},
    release() {},
  };
}

/** Throws `ConfigError` if these are not the bytes of the file. */
export function requireHash(where: string, { sha256: hash }: StoredFile, bytes: Buffer): void {
  if (sha256(bytes) === hash) return;
  throw new ConfigError(`${quoted(where)} is damaged: its SHA-256 is not that of the manifest`);
}
