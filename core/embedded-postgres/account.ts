import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** The operating system account that PostgreSQL runs as. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * The account to run PostgreSQL as, or null to run it as the current user. PostgreSQL refuses to run as root, so root
 * gets the account `postgres`, else `moraine` (created if missing), else `nobody`. Throws if none of them exists.
 */
export function serverAccount(): Account | null {
  if (process.getuid?.() !== 0) return null;
  const existing = accountNamed("postgres") ?? accountNamed("moraine");
  if (existing) return existing;
  spawnSync("useradd", ["--system", "--no-create-home", "--shell", "/bin/false", "moraine"]);
  const account = accountNamed("moraine") ?? accountNamed("nobody");
  if (!account)
    throw new Error(
      "PostgreSQL refuses to run as root, and no other account exists or could be created: run Moraine as another user, or set DATABASE_URL",
    );
  return account;
}

function accountNamed(name: string): Account | null {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid && gid ? { name, uid: Number(uid), gid: Number(gid) } : null;
}

/** Options that start a program as the account. */
export function ownerOf(account: Account | null): { readonly uid?: number; readonly gid?: number } {
  return account ? { uid: account.uid, gid: account.gid } : {};
}

/** True if the account may enter the directory and every directory above it. */
export function isReachable(path: string, account: Account): boolean {
  const { mode, uid, gid } = statSync(path);
  const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  return (mode & bit) !== 0 && (dirname(path) === path || isReachable(dirname(path), account));
}
