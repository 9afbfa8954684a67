import { errorCode, messageOf } from "../../core/errors/errors.ts";
import { StoreRefused } from "./file-store.ts";

/** Reasons for callers, by error code of the operating system. They do not name paths. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", "the disk for exported files is full"],
  ["EDQUOT", "the disk quota for exported files is used up"],
  ["EROFS", "the disk for exported files is read-only"],
  ["EACCES", "the exporter may not write to the directory of exported files"],
  ["EPERM", "the exporter may not write to the directory of exported files"],
  ["EFBIG", "the file is larger than the file system allows"],
  ["ENOTDIR", "the directory of exported files is not a directory"],
]);

const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** True for an error that says that the disk has no room. */
export function isFull(error: unknown): boolean {
  return FULL.has(codeOf(error));
}

function codeOf(error: unknown): string {
  return String(errorCode(error) ?? "");
}

/** Runs a task that writes to the disk. Throws `StoreRefused` with the reason if the disk cannot take the file. */
export async function usingDisk<Result>(task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    const reason = REASONS.get(codeOf(error));
    if (!reason) throw error;
    throw new StoreRefused(reason, { cause: new Error(messageOf(error)) });
  }
}
