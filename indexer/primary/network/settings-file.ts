import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { messageOf } from "../../../core/errors.ts";
import { UnusableFile } from "../follow/loop.ts";

/**
 * What is read of a file that the settings name, gzipped or not. A file that is wrong stops the network, with `what` as the
 * reason, and nothing else: it may be put right while the rest runs.
 */
export async function fromSettingsFile<Value>(
  what: string,
  path: string,
  read: (text: string) => Value,
): Promise<Value> {
  try {
    return read(await readText(path));
  } catch (error) {
    throw new UnusableFile(what, messageOf(error));
  }
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (isGzip ? gunzipSync(bytes) : bytes).toString("utf8");
}
