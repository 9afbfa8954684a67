import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { ConfigError } from "../config/config.ts";
import { createDirectory, DATA_DIRECTORY_SETTING } from "../config/data-directory.ts";
import { errorCode, quoted } from "../errors/errors.ts";
import { type Account, isReachable } from "./account.ts";

/** Directory for clusters and binaries that PostgreSQL's account cannot read at their own places. Used only if root starts Moraine. */
export const SHARED_DIRECTORY = "/var/lib/moraine";

/** Paths of one PostgreSQL cluster. */
export interface ClusterPaths {
  readonly cluster: string;
  readonly log: string;
}

/** Path of the cluster, or of the symbolic link to it. */
export const clusterPath = (directory: string): string => join(directory, "postgres");

/**
 * Returns `<directory>/postgres` and `<directory>/postgres.log`. If PostgreSQL's account cannot enter the directory,
 * `postgres` becomes a symbolic link to a directory below `shared`, which belongs to this data directory alone. If the link does
 * not exist, data that is left in that directory is deleted: it belongs to a data directory that somebody has deleted. Throws `ConfigError`
 * if the data directory was copied or moved, so that its data are in a directory that belongs to another path.
 */
export function clusterPathsFor(directory: string, account: Account | null, shared = SHARED_DIRECTORY): ClusterPaths {
  createDirectory(directory);
  const cluster = clusterPath(directory);
  const log = join(directory, "postgres.log");
  if (!account || isReachable(directory, account)) {
    if (isLink(cluster)) requireOwnLink(directory, shared);
    return { cluster, log };
  }
  if (existsSync(cluster) && !isLink(cluster))
    throw new ConfigError(
      `${DATA_DIRECTORY_SETTING} is ${quoted(directory)}: the account ${account.name}, as which PostgreSQL runs, cannot enter it: let it enter the directory and those above it, or move the directory`,
    );
  const target = join(shared, sharedName(directory));
  createSharedDirectory(shared, account);
  if (isLink(cluster)) requireOwnLink(directory, shared);
  else {
    rmSync(target, { recursive: true, force: true });
    symlinkSync(target, cluster);
  }
  return { cluster: target, log };
}

const sharedName = (directory: string): string =>
  createHash("sha256").update(realpathSync(directory)).digest("hex").slice(0, 16);

/** Two data directories must not use the same data, which a copied link would name. */
function requireOwnLink(directory: string, shared: string): void {
  const own = join(shared, sharedName(directory));
  const target = resolve(directory, readlinkSync(clusterPath(directory)));
  if (dirname(target) !== shared || target === own) return;
  throw new ConfigError(
    `${DATA_DIRECTORY_SETTING} is ${quoted(directory)}, which was copied or moved: its data are in ${target}, which belongs to the earlier path. After a move, run: mv ${target} ${own} && ln -sfn ${own} ${clusterPath(directory)}. To copy, stop Moraine and use cp -aL, to a directory that PostgreSQL's account can enter`,
  );
}

/** Creates a directory so that the account can enter it, whatever the umask is. */
export function createSharedDirectory(directory: string, account: Account): void {
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  if (!isReachable(directory, account)) chmodSync(directory, 0o755);
}

/**
 * A path beside `target` for content that is renamed to `target` when complete. It ends in this process's id, so that
 * `removeUnfinished` recognises files of a killed process.
 */
export function unfinishedPath(target: string): string {
  return `${target}.unfinished-${process.pid}`;
}

/** Removes what killed processes left at their `unfinishedPath` of `target`. */
export function removeUnfinished(target: string): void {
  const prefix = `${basename(target)}.unfinished-`;
  for (const name of readdirSync(dirname(target))) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (pid !== process.pid && isRunning(pid)) continue;
    rmSync(join(dirname(target), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

/** True for a symbolic link, even if its target does not exist. */
export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** Size in bytes of a file; 0 if it does not exist. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
