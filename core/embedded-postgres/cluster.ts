import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ConfigError } from "../config/config.ts";
import { DATA_DIRECTORY_SETTING } from "../config/data-directory.ts";
import { errorCode, quoted } from "../errors/errors.ts";
import { type Account, ownerOf } from "./account.ts";
import { serverBinaries } from "./binaries.ts";
import { type ClusterPaths, removeUnfinished, unfinishedPath } from "./cluster-paths.ts";

const PASSWORD_FILE = "moraine-password";

/**
 * Creates the cluster with `initdb` if it does not exist, and returns the password of its user `moraine`. The cluster
 * appears at its path only when complete. Aborting the signal stops `initdb` and removes its files.
 */
export async function createCluster(
  paths: ClusterPaths,
  account: Account | null,
  signal?: AbortSignal,
): Promise<string> {
  if (!clusterExists(paths.cluster)) await initialize(paths, account, signal);
  return readFileSync(join(paths.cluster, PASSWORD_FILE), "utf8").trim();
}

/** True if there is a complete cluster at the path. Throws `ConfigError` if only another account can tell. */
export function clusterExists(cluster: string): boolean {
  try {
    statSync(join(cluster, "PG_VERSION"));
    return true;
  } catch (error) {
    if (errorCode(error) !== "EACCES") return false;
    throw new ConfigError(
      `${DATA_DIRECTORY_SETTING} is ${quoted(dirname(cluster))}, which belongs to another account: run Moraine and its commands as that account`,
    );
  }
}

async function initialize(
  paths: ClusterPaths,
  account: Account | null,
  signal: AbortSignal | undefined,
): Promise<void> {
  removeUnfinished(paths.cluster);
  const unfinished = unfinishedPath(paths.cluster);
  const passwordFile = `${unfinished}.password`;
  try {
    mkdirSync(unfinished, { mode: 0o700 });
    writeFileSync(passwordFile, `${randomBytes(24).toString("hex")}\n`, { mode: 0o600 });
    if (account) for (const path of [unfinished, passwordFile]) chownSync(path, account.uid, account.gid);
    const options = ["-D", unfinished, "-U", "moraine", "--auth=scram-sha-256", "-E", "UTF8", "--locale=C"];
    await run(serverBinaries(account).initdb, [...options, `--pwfile=${passwordFile}`], account, signal);
    renameSync(passwordFile, join(unfinished, PASSWORD_FILE));
    if (!existsSync(paths.cluster)) renameSync(unfinished, paths.cluster);
  } catch (error) {
    // Another process may have created the cluster in the meantime: use that one.
    if (signal?.aborted || !clusterExists(paths.cluster)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
    rmSync(passwordFile, { force: true });
  }
}

/** Rejects if the program fails. Aborting the signal terminates it; the promise settles only after it has ended. */
async function run(
  file: string,
  args: readonly string[],
  account: Account | null,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const running = promisify(execFile)(file, args, { ...ownerOf(account), cwd: "/" });
  const terminate = () => void running.child.kill();
  signal?.addEventListener("abort", terminate, { once: true });
  try {
    await running;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", terminate);
  }
}
