import { existsSync, realpathSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../../../../core/config-schema.ts";
import type { Check } from "../check.ts";

/** Passes while the file system of a directory, or of the nearest above it that exists, has that share of its space free. */
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

/** Where what grows wrongAnswers: the embedded server's cluster, also behind a link; else the data directory. */
export function growingDirectory({
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
