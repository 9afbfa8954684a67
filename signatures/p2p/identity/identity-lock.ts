import { hash, randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../../core/errors/errors.ts";
import { processName, runningProcess } from "../../../core/processes/running-process.ts";

const FILE = "staking-certificate.lock";

/**
 * Reserves the certificate of a directory for this process, because nodes keep only one connection for each certificate. Returns
 * null if another running process has it. The lock of a process that is gone is replaced. Disposing the result releases the lock.
 * Throws if the lock is not a file that this process can read and replace.
 */
export async function lockIdentity(directory: string): Promise<AsyncDisposable | null> {
  const path = join(directory, FILE);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // No two locks have the same content.
  const id = randomBytes(8).toString("hex");
  const own: Lock = { content: `${processName(process.pid)} ${id}`, file: `${path}.${id}.new` };
  try {
    await writeFile(own.file, own.content, { flag: "wx" });
    if (!(await acquire(path, own))) return null;
  } finally {
    await rm(own.file, { force: true });
  }
  return {
    async [Symbol.asyncDispose]() {
      if ((await contentOf(path)) === own.content) await rm(path, { force: true });
    },
  };
}

interface Lock {
  readonly content: string;
  /** A file with this content. Linked to another path, it appears there at once and complete. */
  readonly file: string;
}

/**
 * False if a running process has the lock, or is just taking it. Only a process that holds a second lock, which is named after the
 * content of the first, removes the lock of a process that is gone: so none removes a lock that another has just taken.
 */
async function acquire(path: string, own: Lock): Promise<boolean> {
  if (await linked(own.file, path)) return true;
  const other = await contentOf(path);
  if (other === null) return acquire(path, own);
  if (runningProcess(other) !== null) return false;
  const removal = `${path}.${hash("sha256", other).slice(0, 16)}`;
  if (!(await acquire(removal, own))) return false;
  try {
    if ((await contentOf(path)) === other) await rm(path);
    return await linked(own.file, path);
  } finally {
    await rm(removal, { force: true });
  }
}

/** False if there is something at the path. */
async function linked(file: string, path: string): Promise<boolean> {
  try {
    await link(file, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Null if there is no file. */
async function contentOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    if (errorCode(error) === "EISDIR") throw new Error(`${path} is a directory, not a lock; delete it`);
    throw error;
  }
}
