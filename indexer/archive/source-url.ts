import { createWriteStream, existsSync, renameSync, rmSync, statSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError } from "../../core/config/config.ts";
import { messageOf } from "../../core/errors/errors.ts";
import { sha256 } from "../../core/formats/codec/bytes/hashes.ts";
import { handledLater } from "../shared/handled-later.ts";
import { PART } from "./directory.ts";
import { MANIFEST, parseManifest, type StoredFile } from "./manifest.ts";
import { type FileSource, requireHash } from "./source-directory.ts";

/** A server that fails this often, without one more byte between, does not have the file. */
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 500;
const HASH_CHARACTERS = 16;
/** A manifest has about 400 bytes for each file. */
const MAX_MANIFEST_BYTES = 256 << 20;

/** Statuses after which another request may succeed. */
const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;

export interface UrlSourceOptions {
  /** Of the directory with the manifest. */
  readonly url: string;
  /** Where downloads are stored until they are loaded. A folder for each URL is created in it. */
  readonly downloads: string;
  readonly signal: AbortSignal;
  /** Pause before the second attempt, which doubles with each further one. Default: half a second. */
  readonly pauseMs?: number;
}

/**
 * The files at a URL of HTTP or HTTPS. An interrupted download goes on where it ended, also in another process, if the server supports
 * ranges. Rejects with `ConfigError` if there is no manifest.
 */
export async function openSourceUrl(options: UrlSourceOptions): Promise<FileSource> {
  const base = baseOf(options.url);
  const folder = join(options.downloads, sha256(Buffer.from(base.name)).slice(0, HASH_CHARACTERS));
  const load = { ...options, base, folder };
  // The manifest changes, so it is always read from its start.
  const manifestPath = await downloaded(load, MANIFEST, null);
  const text = await readFile(manifestPath, "utf8");
  rmSync(manifestPath);
  const loading = new Map<string, Promise<string>>();
  const start = (file: StoredFile): Promise<string> => {
    const known = loading.get(file.path) ?? handledLater(downloaded(load, file.path, file));
    loading.set(file.path, known);
    return known;
  };
  return {
    manifest: parseManifest(text, `${base.name}${MANIFEST}`),
    manifestHash: sha256(Buffer.from(text)),
    async read(file) {
      const path = await start(file);
      const bytes = await readFile(path);
      try {
        requireHash(base.name + file.path, file, bytes);
      } catch (error) {
        // The next attempt loads it again.
        rmSync(path);
        loading.delete(file.path);
        throw error;
      }
      return bytes;
    },
    expect: (file) => void start(file),
    release(file) {
      loading.delete(file.path);
      rmSync(join(folder, file.path), { force: true });
    },
  };
}

interface Base {
  /** Without the password, with a slash at the end. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}

function baseOf(text: string): Base {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ConfigError("--from must be a directory, or a URL of http or https");
  const { username, password } = url;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const basic = `Basic ${Buffer.from(credentials).toString("base64")}`;
  url.username = "";
  url.password = "";
  url.search = "";
  url.hash = "";
  return { name: url.href.replace(/\/*$/, "/"), headers: username ? { authorization: basic } : {} };
}

interface Loading extends UrlSourceOptions {
  readonly base: Base;
  readonly folder: string;
}

/** Downloads a file, and returns its path. `file` is null for the manifest, whose size is not known. */
async function downloaded(load: Loading, path: string, file: StoredFile | null): Promise<string> {
  const target = join(load.folder, path);
  if (file && existsSync(target)) return target;
  await mkdir(dirname(target), { recursive: true });
  if (!file) rmSync(target + PART, { force: true });
  let failures = 0;
  for (let size = sizeOf(target); ; size = sizeOf(target)) {
    if (file && size > file.bytes) rmSync(target + PART);
    if (file && size === file.bytes) break;
    try {
      await request(load, path, target, file?.bytes ?? MAX_MANIFEST_BYTES);
      if (!file) break;
      if (sizeOf(target) !== file.bytes) throw new Error(`it has ${sizeOf(target)} bytes, not ${file.bytes}`);
    } catch (error) {
      load.signal.throwIfAborted();
      if (error instanceof ConfigError) throw error;
      failures = sizeOf(target) > size ? 1 : failures + 1;
      if (failures >= ATTEMPTS)
        throw new ConfigError(
          `${load.base.name}${path} cannot be loaded: ${reasonOf(error)}; run the command again to continue`,
        );
      await sleep((load.pauseMs ?? FIRST_PAUSE_MS) * 2 ** (failures - 1), null, { signal: load.signal });
    }
  }
  renameSync(target + PART, target);
  return target;
}

const sizeOf = (target: string): number => (existsSync(target + PART) ? statSync(target + PART).size : 0);

/** The message of `fetch` says only that it failed. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);

/** Loads the rest of a file. */
async function request({ base, signal }: Loading, path: string, target: string, limit: number): Promise<void> {
  const size = sizeOf(target);
  const headers = { ...base.headers, "accept-encoding": "identity", ...(size > 0 && { range: `bytes=${size}-` }) };
  const response = await fetch(base.name + path, { headers, signal });
  const { status, body } = response;
  if (status !== 200 && status !== 206) {
    await body?.cancel();
    // The part is longer than the file, or the server has another file.
    if (status === 416) rmSync(target + PART, { force: true });
    if (status === 416 || isPassing(status)) throw new Error(`the server answered with status ${status}`);
    throw new ConfigError(`${base.name}${path} cannot be loaded: the server answered with status ${status}`);
  }
  // A server without ranges sends the file from its start.
  const flags = status === 206 && startsAt(response, size) ? "a" : "w";
  // The types of Node.js and of the DOM name the same class.
  const bytes = body ? Readable.fromWeb(body as unknown as ReadableStream) : Readable.from([]);
  const isWhole = flags === "w";
  await pipeline(bytes, atMost(limit - (isWhole ? 0 : size)), createWriteStream(target + PART, { flags }));
}

/** Fails when a server sends more. */
function atMost(limit: number) {
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > limit) throw new ConfigError("the server sends more bytes than the manifest says");
      yield chunk;
    }
  };
}

function startsAt({ headers }: Response, size: number): boolean {
  const start = /^bytes (\d+)-/.exec(headers.get("content-range") ?? "")?.[1];
  if (Number(start) === size) return true;
  throw new Error(`the server sent the range ${headers.get("content-range")}`);
}
