/** Largest message of either direction, compressed or not (avalanchego:utils/constants/networking.go). */
export const MAX_FRAME_BYTES = 2 * 1024 * 1024;

const LENGTH_BYTES = 4;

/** Thrown for a frame that announces more than 2 MiB. */
class FrameTooLong extends Error {
  override readonly name = "FrameTooLong";
}

/** Reads frames (four bytes of length, then a message) from the chunks of a stream. */
export interface FrameReader {
  /** The messages that are complete with this chunk. Throws `FrameTooLong`, after which the reader is useless. */
  push(chunk: Buffer): Buffer[];
}

export function createFrameReader(): FrameReader {
  let pending: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      pending = Buffer.concat([pending, chunk]);
      const messages: Buffer[] = [];
      while (pending.length >= LENGTH_BYTES) {
        const length = pending.readUInt32BE();
        if (length > MAX_FRAME_BYTES) throw new FrameTooLong(`a frame of ${length} bytes`);
        if (pending.length < LENGTH_BYTES + length) break;
        messages.push(pending.subarray(LENGTH_BYTES, LENGTH_BYTES + length));
        pending = pending.subarray(LENGTH_BYTES + length);
      }
      return messages;
    },
  };
}

export function encodeFrame(message: Uint8Array): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(message.length);
  return Buffer.concat([length, message]);
}
