import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigError } from "../../core/config/config.ts";
import { quoted } from "../../core/errors/errors.ts";

/** Throws `ConfigError` if no file can be written at the path. */
export function requireWritable(out: string): void {
  const directory = dirname(resolve(out));
  const found = statSync(directory, { throwIfNoEntry: false });
  if (!found) throw refusal(out, `the directory ${directory} does not exist`);
  if (!found.isDirectory()) throw refusal(out, `${directory} is not a directory`);
  const existing = statSync(out, { throwIfNoEntry: false });
  if (existing?.isDirectory()) throw refusal(out, "must be a file, not a directory");
  if (existing && !existing.isFile()) throw refusal(out, "must be a regular file, because the file is replaced");
  try {
    accessSync(directory, constants.W_OK);
  } catch {
    throw refusal(out, `this user cannot write to the directory ${directory}`);
  }
}

const refusal = (out: string, reason: string) => new ConfigError(`--out is ${quoted(out)}: ${reason}`);
