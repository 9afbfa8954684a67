import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ExportedFile } from "../../core/export-files/links.ts";
import type { FileStore, FileWriter } from "./file-store.ts";
import { usingDisk } from "./full-disk.ts";

/** Every attempt to write a file has a name of its own, so that an attempt that is believed dead cannot damage another. */
const stateSchema = z.strictObject({ file: z.string().regex(/^[\w-]+\.[0-9a-f]+$/) });

/** Names of files that belong to an operation. */
const NAME = /^([0-9a-f-]{36})\.[0-9a-f]+(\.part)?$/;

/** Ending of the name of a file that is not complete. */
const PART = ".part";

/** Path of a complete file. Null if `state` is not of this store. */
export function completePath(directory: string, state: string): string | null {
  const file = parseState(state);
  return file === null ? null : join(directory, file);
}

/** Files in a directory, which is created with mode 700. */
export function createLocalStore(directory: string, lifetimeSeconds: number, nowSeconds: () => number): FileStore {
  const names = async () => {
    const entries = await readdir(directory).catch(missingAs<string[]>([]));
    return entries.flatMap((name) => {
      const [, operationId] = NAME.exec(name) ?? [];
      return operationId ? [{ name, operationId }] : [];
    });
  };
  const removeWhere = async (unneeded: (file: Entry) => boolean | Promise<boolean>) => {
    for (const file of await names()) if (await unneeded(file)) await rm(join(directory, file.name), { force: true });
  };
  const writerOf = ({ operationId }: ExportedFile, file: string, handle: FileHandle): FileWriter =>
    createWriter(directory, { file, handle }, () =>
      removeWhere((other) => other.operationId === operationId && !other.name.startsWith(file)),
    );
  return {
    async begin(exported) {
      return usingDisk(async () => {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        const file = attemptName(exported);
        return writerOf(exported, file, await open(join(directory, file + PART), "wx", 0o600));
      });
    },
    async resume(exported, { state, bytes }) {
      const earlier = parseState(state);
      const source = earlier && (await firstOfSize(join(directory, earlier), bytes));
      if (!source) return null;
      const file = attemptName(exported);
      return usingDisk(async () =>
        writerOf(exported, file, await copyStart(source, join(directory, file + PART), bytes)),
      );
    },
    remove: ({ operationId }) => removeWhere((file) => file.operationId === operationId),
    async removeUnneeded(findOperations) {
      const files = await names();
      const needed = await findOperations([...new Set(files.map(({ operationId }) => operationId))]);
      await removeWhere(async (file) => {
        const operation = needed.get(file.operationId);
        if (operation) return !operation.isRunning && file.name !== (operation.state && parseState(operation.state));
        // Another database may use the same directory.
        return (await ageSeconds(join(directory, file.name), nowSeconds())) > lifetimeSeconds;
      });
    },
  };
}

interface Entry {
  readonly name: string;
  readonly operationId: string;
}

function attemptName({ operationId }: ExportedFile): string {
  return `${operationId}.${randomBytes(4).toString("hex")}`;
}

function parseState(state: string): string | null {
  try {
    return stateSchema.parse(JSON.parse(state)).file;
  } catch {
    return null;
  }
}

interface Attempt {
  readonly file: string;
  readonly handle: FileHandle;
}

function createWriter(directory: string, { file, handle }: Attempt, removeOthers: () => Promise<void>): FileWriter {
  const state = JSON.stringify({ file });
  return {
    state,
    removeOthers,
    append: (bytes) =>
      usingDisk(async () => {
        await handle.appendFile(bytes);
        await handle.datasync();
        return true;
      }),
    finish: () =>
      usingDisk(async () => {
        await handle.sync();
        await rename(join(directory, file + PART), join(directory, file));
        await syncDirectory(directory);
        return state;
      }),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** The file of an earlier attempt, which is complete if the attempt ended just before that was recorded; null if it is lost. */
async function firstOfSize(path: string, bytes: number): Promise<string | null> {
  for (const candidate of [path + PART, path]) {
    const size = await stat(candidate).then(({ size }) => size, missingAs(-1));
    if (size >= bytes) return candidate;
  }
  return null;
}

/** Copies the first `bytes` bytes and opens the copy for appending. On file systems that can, blocks are shared. */
async function copyStart(source: string, target: string, bytes: number): Promise<FileHandle> {
  await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const handle = await open(target, "a", 0o600);
  try {
    await handle.truncate(bytes);
    await handle.sync();
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Makes a rename durable. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function ageSeconds(path: string, nowSeconds: number): Promise<number> {
  return nowSeconds - (await stat(path).then(({ mtimeMs }) => mtimeMs / 1000, missingAs(nowSeconds)));
}

/** Handles the rejection of a file operation: `value` if there is no such file, else the error. */
function missingAs<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof Object && "code" in error && error.code === "ENOENT") return value;
    throw error;
  };
}
