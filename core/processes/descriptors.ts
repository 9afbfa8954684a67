import { open, readdir, readFile } from "node:fs/promises";
import { devNull } from "node:os";
import { errorCode } from "../errors/errors.ts";

/** Share of the descriptors that the system allows, above which the process is out of them soon. */
const MAX_SHARE = 0.95;

/**
 * Says that this process has no file descriptors left, or nearly none, so that it can soon open neither connections nor files. Null if
 * there are enough. Systems without /proc only tell when there is none.
 */
export async function descriptorShortage(): Promise<string | null> {
  try {
    await (await open(devNull)).close();
    const [used, limit] = await Promise.all([openDescriptors(), descriptorLimit()]);
    if (used <= limit * MAX_SHARE) return null;
    return `the process has ${used} of at most ${limit} file descriptors open: raise the limit (ulimit -n) or lower the number of connections`;
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EMFILE" && code !== "ENFILE") throw error;
    return "the process can open no more files: raise the limit of file descriptors (ulimit -n) or lower the number of connections";
  }
}

async function openDescriptors(): Promise<number> {
  return (await readdir("/proc/self/fd").catch(absent))?.length ?? 0;
}

async function descriptorLimit(): Promise<number> {
  const text = (await readFile("/proc/self/limits", "utf8").catch(absent)) ?? "";
  const [, limit] = /^Max open files\s+(\d+)/m.exec(text) ?? [];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}

function absent(error: unknown): null {
  const code = errorCode(error);
  if (code === "ENOENT" || code === "EACCES") return null;
  throw error;
}
