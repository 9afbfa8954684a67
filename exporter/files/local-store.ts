import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { errorCode, messageOf } from "../../core/errors/errors.ts";
import type { ExportedFile } from "../../core/exports/files/links.ts";
import { parseJson } from "../../core/formats/json.ts";
import { type FileStore, type FileWriter, NoSpaceToResume } from "./file-store.ts";
import { isFull, usingDisk } from "./full-disk.ts";

/**
 * Every attempt to write a file has a name of its own. An attempt that is believed dead may still have its file open, so
 * another one continues with a copy. It continues the file itself, without a copy, if the ending of the name says that the
 * earlier attempt has closed the file.
 */
const stateSchema = z.strictObject({ file: z.string().regex(/^[\w-]+\.[0-9a-f]+$/) });

/** Names of files that belong to an operation. */
const NAME = /^([0-9a-f-]{36})\.[0-9a-f]+(\.part|\.closed)?$/;

/** Ending of the name of a file that is not complete, while an attempt has it open. */
const PART = ".part";
/** Ending of the name of a file that is not complete, and that no attempt has open. */
const CLOSED = ".closed";

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
  const writerOf = ({ operationId }: ExportedFile, attempt: Attempt): FileWriter =>
    createWriter(directory, attempt, () =>
      removeWhere((other) => other.operationId === operationId && !other.name.startsWith(attempt.file)),
    );
  return {
    async begin(exported) {
      return usingDisk(async () => {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        const file = attemptName(exported);
        const handle = await open(join(directory, file + PART), "ax", 0o600);
        return writerOf(exported, { file, handle, bytes: 0 });
      });
    },
    async resume(exported, { state, bytes }) {
      const earlier = parseState(state);
      if (!earlier) return null;
      const file = attemptName(exported);
      const target = join(directory, file + PART);
      const handle = await usingDisk(() => waitingForRoom(target, takeOver(join(directory, earlier), target, bytes)));
      return handle && writerOf(exported, { file, handle, bytes });
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
  return stateSchema.safeParse(parseJson(state)).data?.file ?? null;
}

interface Attempt {
  readonly file: string;
  readonly handle: FileHandle;
  /** Bytes of the file that are recorded. Bytes after them are from an earlier attempt, and are cut off. */
  readonly bytes: number;
}

function createWriter(
  directory: string,
  { file, handle, bytes: recorded }: Attempt,
  removeOthers: () => Promise<void>,
): FileWriter {
  const state = JSON.stringify({ file });
  const path = join(directory, file);
  let isCut = false;
  /**
   * The file may be one that an earlier attempt has closed. It is changed only now, when the operation's row names this
   * attempt: an attempt that lost its lock before that never changes it.
   */
  const cut = async () => {
    if (!isCut) await handle.truncate(recorded);
    isCut = true;
  };
  return {
    state,
    removeOthers,
    append: (bytes) =>
      usingDisk(async () => {
        await cut();
        await handle.appendFile(bytes);
        await handle.datasync();
        return true;
      }),
    finish: () =>
      usingDisk(async () => {
        await cut();
        await handle.sync();
        await rename(path + PART, path);
        await syncDirectory(directory);
        return state;
      }),
    async [Symbol.asyncDispose]() {
      // Waits for a write that is under way: nothing is written after it.
      await handle.close();
      // Fails if the file is complete or deleted, or if the disk does not accept the name. Then the next attempt makes a copy.
      await rename(path + PART, path + CLOSED).catch(() => {});
    },
  };
}

/**
 * Opens what an earlier attempt wrote to `path`, under the name `target`, for appending. Null if it has less than `bytes`
 * bytes. The names are tried in the order in which a file gets them, so that a rename meanwhile is not missed.
 */
async function takeOver(path: string, target: string, bytes: number): Promise<FileHandle | null> {
  for (const source of [path + PART, path + CLOSED, path]) {
    const size = await stat(source).then(({ size }) => size, missingAs(-1));
    if (size < bytes) continue;
    const isShared = source !== path + PART && (await isLinked(source, target));
    if (isShared || (await isCopied(source, target))) return openDurable(target);
  }
  return null;
}

async function openDurable(path: string): Promise<FileHandle> {
  const handle = await open(path, "a", 0o600);
  try {
    await handle.sync();
    await syncDirectory(dirname(path));
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Throws `NoSpaceToResume` if the disk is full; then the earlier file is still there. */
async function waitingForRoom<Result>(target: string, task: Promise<Result>): Promise<Result> {
  try {
    return await task;
  } catch (error) {
    await rm(target, { force: true });
    throw isFull(error) ? new NoSpaceToResume(messageOf(error)) : error;
  }
}

/** Gives a closed file another name. False if that fails, as on a file system without hard links, or if the file is gone. */
async function isLinked(source: string, target: string): Promise<boolean> {
  return link(source, target).then(
    () => true,
    () => false,
  );
}

/** Copies a file; on file systems that can, blocks are shared. False if it is gone. */
async function isCopied(source: string, target: string): Promise<boolean> {
  return copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE).then(
    () => true,
    missingAs(false),
  );
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
    if (errorCode(error) === "ENOENT") return value;
    throw error;
  };
}
