import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigError } from "../../core/config.ts";
import { quoted } from "../../core/errors.ts";

/** Throws `ConfigError` if no file can be written at the path. */
export function requireWritable(out: string): void {
  const directory = dirname(resolve(out));
  const found = statSync(directory, { throwIfNoEntry: false });
  if (!found) throw refusal(out, `the directory ${directory} does not exist`);
  if (!found.isDirectory()) throw refusal(out, `${directory} is not a directory`);
  if (statSync(out, { throwIfNoEntry: false })?.isDirectory()) throw refusal(out, "must be a file, not a directory");
  try {
    accessSync(directory, constants.W_OK);
  } catch {
    throw refusal(out, `this user cannot write to the directory ${directory}`);
  }
}

const refusal = (out: string, reason: string) => new ConfigError(`--out is ${quoted(out)}: ${reason}`);
