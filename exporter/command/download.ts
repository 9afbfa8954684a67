import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { errorCode, messageOf } from "../../core/errors/errors.ts";
import { ExportFailed, type WatchedOperation } from "./graph.ts";

const ATTEMPTS = 5;
const RETRY_MS = 1_000;

/** What is to be downloaded. */
type File = NonNullable<WatchedOperation["file"]>;

export interface Download {
  readonly out: string;
  /** Path of the bytes that were downloaded so far. */
  readonly partial: string;
  /** Returns the file with a fresh link. It is called for each attempt. */
  file(): Promise<File>;
  onBytes(bytes: number): void;
  readonly signal: AbortSignal;
}

/**
 * Downloads a file into `partial`, after the bytes that are already there, and renames it to `out` when its size and SHA-256
 * are right. Throws `ExportFailed` if the service refuses the download, or if all attempts fail. Aborting the signal rejects
 * the promise; the downloaded bytes remain.
 */
export async function downloadTo(download: Download): Promise<void> {
  const { out, partial, file, signal } = download;
  for (let attempt = 1; ; attempt++) {
    const expected = await file();
    try {
      await fetchRest(expected, download);
      await check(expected, partial);
      await rename(partial, out);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ExportFailed) throw error;
      if (attempt === ATTEMPTS) throw new ExportFailed(`the download failed: ${messageOf(error)}`);
      await sleep(RETRY_MS, null, { signal });
    }
  }
}

async function fetchRest({ downloadUrl, sizeBytes }: File, { partial, onBytes, signal }: Download): Promise<void> {
  const from = await sizeOf(partial);
  onBytes(from);
  if (from >= Number(sizeBytes)) return;
  const response = await request(downloadUrl, { headers: from > 0 ? { range: `bytes=${from}-` } : {}, signal });
  const isRest = response.statusCode === 206;
  if (!isRest && response.statusCode !== 200) {
    const text = (await response.body.text()).slice(0, 500);
    const reason = `HTTP ${response.statusCode}: ${text}`;
    // The service or a proxy before it may be starting.
    if (response.statusCode >= 500) throw new Error(reason);
    throw new ExportFailed(`the download failed with ${reason}`);
  }
  let bytes = isRest ? from : 0;
  response.body.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    onBytes(bytes);
  });
  await pipeline(response.body, createWriteStream(partial, { flags: isRest ? "a" : "w" }));
}

async function check({ sizeBytes, sha256 }: File, partial: string): Promise<void> {
  const size = await sizeOf(partial);
  if (size < Number(sizeBytes)) throw new Error(`the download ended after ${size} of ${sizeBytes} bytes`);
  const hash = createHash("sha256");
  await pipeline(createReadStream(partial), hash);
  if (size === Number(sizeBytes) && hash.digest("hex") === sha256) return;
  await rm(partial);
  throw new Error("the downloaded file does not have the size and SHA-256 of the export");
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return 0;
    throw new ExportFailed(messageOf(error));
  }
}
