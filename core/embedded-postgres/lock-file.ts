import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../errors/errors.ts";
import type { ClusterPaths } from "./cluster-paths.ts";

/** The main process of a running PostgreSQL server. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Path of the data directory as the server knows it (`SHOW data_directory`). */
  readonly dataDirectory: string;
  /** Such as `starting` or `ready`; empty if the server has not written it yet. */
  readonly status: string;
}

/** Path of the file that a server writes into its data directory while it runs. */
export const lockFilePath = ({ cluster }: ClusterPaths): string => join(cluster, "postmaster.pid");

/**
 * The server that the cluster's lock file names. Null if there is no such file or it is outdated: the process has ended, its id now belongs
 * to another process, or the file was copied together with the data directory of another server.
 */
export function readPostmaster(paths: ClusterPaths): Postmaster | null {
  const named = readLockFile(paths);
  return named && serves(named, paths.cluster) ? named : null;
}

/** The running server of another data directory that an outdated lock file names, because the directory was copied while the server ran. */
export function serverOfOriginal(paths: ClusterPaths): Postmaster | null {
  const named = readLockFile(paths);
  if (!named || isSameDirectory(named.dataDirectory, paths.cluster)) return null;
  return serves(named, named.dataDirectory) ? named : null;
}

function readLockFile(paths: ClusterPaths): Postmaster | null {
  const [pid, dataDirectory, , port, , , , status = ""] = readLines(lockFilePath(paths));
  // A server that has just started has not written all lines yet.
  return pid && dataDirectory && port
    ? { pid: Number(pid), port: Number(port), dataDirectory, status: status.trim() }
    : null;
}

/** The lines of a file; none if it does not exist. A server that ends removes its file at any moment. */
function readLines(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** True if the process is a PostgreSQL server whose data are in the directory, whatever path leads there. */
function serves({ pid, dataDirectory }: Postmaster, directory: string): boolean {
  if (!isSignalable(pid)) return false;
  const command = readIfAllowed(`/proc/${pid}/cmdline`);
  if (command !== null && !command.includes("postgres")) return false;
  // A server works in its data directory. Where the system does not tell, the server's own record of the path decides.
  return isSameDirectory(existsSync(`/proc/${pid}/cwd`) ? `/proc/${pid}/cwd` : dataDirectory, directory);
}

/**
 * True if the process runs and belongs to this user. PostgreSQL only starts in a directory of its own user, so a process of another
 * user has got the id of a server that has ended.
 */
function isSignalable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function readIfAllowed(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function isSameDirectory(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}
