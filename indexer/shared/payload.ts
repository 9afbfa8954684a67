import { deflateRawSync, inflateRawSync } from "node:zlib";
import { BadUpstreamData, messageOf } from "../../core/errors.ts";

/** Low: the dictionary does most of the work, and a backfill is bound by this. */
const LEVEL = 3;

/** Compresses what a node said, against a text of what is in every answer of its kind. */
export interface PayloadCodec {
  /** Rejects with `BadUpstreamData` what cannot be written as JSON. */
  encode(payload: unknown): Promise<Buffer>;
  decode(payload: Buffer): Promise<unknown>;
}

/**
 * `dictionary` is part of the format: changing it makes stored payloads unreadable. Works in one piece, since handing a
 * payload to another thread and back costs twice what is done with it there.
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
    // Nested too deeply, or too long for one text.
    throw new BadUpstreamData(`what the node said cannot be stored: ${messageOf(error)}`);
  }
}
