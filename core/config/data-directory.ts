import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, quoted } from "../errors/errors.ts";
import { ConfigError } from "./config.ts";

export const DATA_DIRECTORY_SETTING = "setting dataDirectory (environment variable MORAINE_DATA)";

/** What the operator can do about an error, by the error's text in Node.js or PostgreSQL. */
const REMEDIES: readonly (readonly [text: RegExp, remedy: string])[] = [
  [
    /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded|could not extend file|wrote only \d+ of/,
    "free space on its disk, or choose a directory on another disk",
  ],
  [/EROFS|Read-only file system/, "choose a directory on a disk that is not read-only"],
  [
    /EPERM.*\bchown\b/,
    "choose a directory whose files can be given to the account that PostgreSQL runs as, because it refuses to run as root, or start Moraine as another user",
  ],
  [/EACCES|EPERM|Permission denied/, "choose a directory that this user can write to"],
  [/ENOTDIR|EEXIST|ENAMETOOLONG|ENOENT.*\bmkdir\b/, "choose a path that can be a directory"],
];

/**
 * Runs `use`, which writes files in the directory `dataDirectory` of the settings. If it fails because of the directory or
 * its disk, throws `ConfigError` with the setting, the reason and the remedy.
 */
export async function usingDataDirectory<Result>(directory: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const remedy = REMEDIES.find(([text]) => text.test(messageOf(error)))?.[1];
    if (!remedy) throw error;
    const reason = messageOf(error)
      .split("\n")
      .find((line) => REMEDIES.some(([text]) => text.test(line)));
    throw new ConfigError(`${DATA_DIRECTORY_SETTING} is ${quoted(directory)}: ${reason?.trim()}; ${remedy}`);
  }
}

/** Throws `ConfigError` if `dataDirectory`, or its first parent that exists, is not a directory that can be written to. Changes nothing. */
export async function requireWritable(dataDirectory: string): Promise<void> {
  let directory = dataDirectory;
  while (!existsSync(directory)) directory = dirname(directory);
  // The dot makes a file an error.
  await usingDataDirectory(dataDirectory, async () => accessSync(`${directory}/.`, constants.W_OK | constants.X_OK));
}

/**
 * Creates the directory and its missing parent directories. Throws the error of the first directory that cannot be created,
 * for example EROFS. (`mkdirSync` with `recursive` throws ENOENT on a read-only disk, which hides the reason.)
 */
export function createDirectory(directory: string): void {
  if (existsSync(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory) createDirectory(parent);
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(directory)) throw error;
  }
}
