import { createReadStream } from "node:fs";
import { messageOf } from "../../core/errors/errors.ts";
import { PriceSourceFailed } from "./source.ts";

/** The text of a UTF-8 file in chunks, without a byte order mark. Throws `PriceSourceFailed`. */
export async function* readText(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      throw new PriceSourceFailed(`${path} must be in UTF-8`);
    }
  };
  try {
    for await (const bytes of createReadStream(path)) yield decode(bytes as Uint8Array);
  } catch (error) {
    throw error instanceof PriceSourceFailed
      ? error
      : new PriceSourceFailed(`${path} cannot be read: ${messageOf(error)}`);
  }
  yield decode();
}
