import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { withoutByteOrderMark } from "../../../core/config/settings/parse-json.ts";
import { BadUpstreamData, messageOf } from "../../../core/errors/errors.ts";

/** A file that a setting names cannot be used. API callers see the message; `detail` is only logged: path of the file, and the error. */
class UnusableFile extends BadUpstreamData {}

/**
 * Reads and parses a file named by the setting `primaryNetworks[].<setting>`, gzipped or not. Throws `UnusableFile` if it
 * cannot be read or parsed. A running indexer then reports the state `STOPPED` and retries, so the file can be corrected without a
 * restart.
 */
export async function readSettingsFile<Value>(
  setting: string,
  path: string,
  parse: (text: string) => Value,
): Promise<Value> {
  try {
    return parse(await readText(path));
  } catch (error) {
    throw new UnusableFile(
      `the file named by the setting primaryNetworks[].${setting} cannot be used; the log gives the reason`,
      withPath(path, messageOf(error)),
    );
  }
}

/** Most errors of the file system name the path already. */
const withPath = (path: string, message: string): string => (message.includes(path) ? message : `${path}: ${message}`);

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return withoutByteOrderMark((isGzip ? gunzipSync(bytes) : bytes).toString("utf8"));
}
