import { readFileSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FILE = "staking-certificate.lock";

/**
 * Reserves the certificate of a directory for this process, because nodes keep only one connection for each certificate. Returns
 * null if another running process has it. The lock of a process that is gone is replaced. Disposing it gives it back.
 */
export async function lockIdentity(directory: string): Promise<AsyncDisposable | null> {
  const path = join(directory, FILE);
  const holder = nameOf(process.pid);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (let attempt = 0; attempt < 2; attempt++) {
    if (await created(path, holder)) {
      return {
        async [Symbol.asyncDispose]() {
          await rm(path, { force: true });
        },
      };
    }
    const other = await readFile(path, "utf8").catch(() => "");
    if (isRunning(other)) return null;
    await rm(path, { force: true });
  }
  return null;
}

/** False if the file exists. */
async function created(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Object && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Id and start time of a process: a later process may have the same id. */
function nameOf(pid: number): string {
  return `${pid} ${startTimeOf(pid)}`;
}

function isRunning(name: string): boolean {
  const pid = Number(name.split(" ")[0]);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // The process exists, but belongs to another user.
    if (!(error instanceof Object && "code" in error && error.code === "EPERM")) return false;
  }
  return nameOf(pid) === name;
}

/** Time since the start of the system, in clock ticks; "unknown" where there is no `/proc`. */
function startTimeOf(pid: number): string {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return fields[19] ?? "unknown";
  } catch {
    return "unknown";
  }
}
