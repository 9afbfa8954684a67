import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { BadUpstreamData, messageOf } from "../../../core/errors.ts";

/** A file that the configuration names cannot be used. API callers see the message, only the log shows `detail`. */
export class UnusableFile extends BadUpstreamData {
  constructor(
    message: string,
    /** The file's path and what is wrong with it. */
    readonly detail: string,
  ) {
    super(message);
  }
}

/**
 * Reads and parses a file named by the setting `primaryNetworks[].<setting>`, gzipped or not. Throws `UnusableFile` if it
 * cannot be read or parsed; the caller stops the network and tries again, so the file can be corrected without a restart.
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
      `the file named by the setting primaryNetworks[].${setting} cannot be used; the log says why`,
      messageOf(error),
    );
  }
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (isGzip ? gunzipSync(bytes) : bytes).toString("utf8");
}
