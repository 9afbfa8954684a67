import { existsSync, realpathSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../../../../core/config/config-schema.ts";
import type { Check } from "../runner/check.ts";

/**
 * Passes if at least `requiredPercentage` percent of the directory's file system are free. If the directory does not exist, its
 * nearest existing parent is checked.
 */
export function diskspaceCheck(directory: () => string, requiredPercentage: number): Check {
  return async () => {
    const { bavail, blocks, bsize } = await statfs(existing(directory()), { bigint: true });
    const percentage = blocks === 0n ? 0 : (Number(bavail) / Number(blocks)) * 100;
    const message = {
      availableDiskBytes: Number(bavail * bsize),
      availableDiskPercentage: Math.floor(percentage),
    };
    if (percentage >= requiredPercentage) return { message };
    const error = `remaining available disk space percentage (${message.availableDiskPercentage}%) is below minimum required available space percentage (${requiredPercentage}%)`;
    return { message, error };
  };
}

/**
 * The directory in which data grows: without `databaseUrl`, the cluster of the embedded PostgreSQL server, with links resolved.
 * With `databaseUrl`, or before the cluster exists, the data directory.
 */
export function databaseDirectory({
  dataDirectory,
  databaseUrl,
}: Pick<Config, "dataDirectory" | "databaseUrl">): string {
  const cluster = join(dataDirectory, "postgres");
  return databaseUrl === undefined && existsSync(cluster) ? realpathSync(cluster) : dataDirectory;
}

function existing(directory: string): string {
  const path = resolve(directory);
  return existsSync(path) ? path : existing(dirname(path));
}
