import { deflateRawSync, inflateRawSync } from "node:zlib";
import { BadUpstreamData, messageOf } from "../../../core/errors/errors.ts";

/**
 * Compression level. It is low, because the dictionary saves most of the size, and compression limits the speed of the
 * first indexing.
 */
const LEVEL = 3;

/** Compresses a node's answers with a dictionary of text that such answers have in common. */
export interface PayloadCodec {
  /** Rejects with `BadUpstreamData` if the payload cannot be written as JSON. */
  encode(payload: unknown): Promise<Buffer>;
  decode(payload: Buffer): Promise<unknown>;
}

/**
 * `dictionary` is part of the format: changing it makes stored payloads unreadable. Compresses synchronously, because passing a
 * payload to another thread and back costs twice as much as compressing it.
 */
export function createPayloadCodec(dictionary: string): PayloadCodec {
  const options = { level: LEVEL, dictionary: Buffer.from(dictionary) };
  return {
    encode: async (payload) => deflateRawSync(Buffer.from(jsonOf(payload)), options),
    decode: async (payload) => JSON.parse(inflateRawSync(payload, options).toString()),
  };
}

function jsonOf(payload: unknown): string {
  try {
    return JSON.stringify(payload);
  } catch (error) {
    // Nested too deeply, or longer than a string can be.
    throw new BadUpstreamData(`the node's answer cannot be stored: ${messageOf(error)}`);
  }
}
