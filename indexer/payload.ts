import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";

const deflate = promisify<Buffer, object, Buffer>(deflateRaw);
const inflate = promisify<Buffer, object, Buffer>(inflateRaw);
/** Low: the dictionary does most of the work, and a backfill is bound by this. */
const LEVEL = 3;

/** Compresses what a node said, against a text of what is in every answer of its kind. */
export interface PayloadCodec {
  encode(payload: unknown): Promise<Buffer>;
  decode(payload: Buffer): Promise<unknown>;
}

/** `dictionary` is part of the format: changing it makes stored payloads unreadable. */
export function createPayloadCodec(dictionary: string): PayloadCodec {
  const options = { level: LEVEL, dictionary: Buffer.from(dictionary) };
  return {
    encode: (payload) => deflate(Buffer.from(JSON.stringify(payload)), options),
    decode: async (payload) => JSON.parse((await inflate(payload, options)).toString()),
  };
}
