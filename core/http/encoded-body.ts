import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { Failure } from "../errors/errors.ts";
import { checkValues } from "./body.ts";

const DECODERS = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) } as const;

/** A body that cannot be decompressed. */
export class DamagedBody extends Failure {}

/** A body in another content encoding than those that are read. */
export class UnsupportedEncoding extends Failure {}

/** What to say about the content encoding of a request; null if its body can be read. */
export function unsupportedEncoding(request: IncomingMessage): string | null {
  const encoding = encodingOf(request);
  if (encoding === null || Object.hasOwn(DECODERS, encoding)) return null;
  return `the content encoding must be one of ${Object.keys(DECODERS).join(", ")}`;
}

/**
 * Decompresses a body that was read with a limit, which also holds for what it returns. Throws `INVALID_PARAMETER` if that is larger or has
 * too many values, `DamagedBody` and `UnsupportedEncoding`.
 */
export async function decodedBody(request: IncomingMessage, body: Buffer, maxOutputLength: number): Promise<Buffer> {
  const encoding = encodingOf(request);
  if (encoding === null) return body;
  const unsupported = unsupportedEncoding(request);
  if (unsupported !== null) throw new UnsupportedEncoding("INVALID_PARAMETER", unsupported);
  try {
    const plain = await DECODERS[encoding as keyof typeof DECODERS](body, { maxOutputLength });
    checkValues(plain);
    return plain;
  } catch (error) {
    if (error instanceof Failure) throw error;
    const isTooLarge = Object(error).code === "ERR_BUFFER_TOO_LARGE";
    if (isTooLarge) throw new Failure("INVALID_PARAMETER", `the body must be of at most ${maxOutputLength} bytes`);
    throw new DamagedBody("INVALID_PARAMETER", `the body cannot be decompressed as ${encoding}`);
  }
}

/** Null if the body is not compressed. */
function encodingOf({ headers }: IncomingMessage): string | null {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() || "identity";
  return encoding === "identity" ? null : encoding;
}
