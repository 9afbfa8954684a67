import { ProtocolViolation } from "../protocol-violation.ts";

/** The longest message, in bytes, before and after decompression (avalanchego: `constants.DefaultMaxMessageSize`). */
export const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;
const LENGTH_BYTES = 4;
/** Peers may send a message in very small pieces. More pieces than this are joined. */
const MAX_PIECES = 1_024;

/** A message with its length before it (4 bytes, big-endian). */
export function encodeFrame(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + message.length);
  frame.writeUInt32BE(message.length);
  frame.set(message, LENGTH_BYTES);
  return frame;
}

export interface FrameReader {
  /**
   * Adds bytes that arrived and returns the messages that are complete. Throws `ProtocolViolation` when a length is above the
   * limit. Memory grows only with bytes that arrived, never with a length that was announced.
   */
  read(bytes: Buffer): Iterable<Buffer>;
}

export function createFrameReader(): FrameReader {
  let pieces: Buffer[] = [];
  let available = 0;
  let length: number | null = null;
  const take = (count: number): Buffer => {
    const all = joined(pieces);
    pieces = [all.subarray(count)];
    available -= count;
    return all.subarray(0, count);
  };
  return {
    *read(bytes) {
      pieces.push(bytes);
      available += bytes.length;
      if (pieces.length > MAX_PIECES) pieces = [joined(pieces)];
      for (;;) {
        if (length === null) {
          if (available < LENGTH_BYTES) return;
          length = checkedLength(take(LENGTH_BYTES).readUInt32BE());
        }
        if (available < length) return;
        const message = take(length);
        length = null;
        yield message;
      }
    },
  };
}

function joined(pieces: Buffer[]): Buffer {
  const [first] = pieces;
  return pieces.length === 1 && first ? first : Buffer.concat(pieces);
}

function checkedLength(length: number): number {
  if (length <= MAX_MESSAGE_BYTES) return length;
  throw new ProtocolViolation(`the node announced a message of ${length} bytes; the limit is ${MAX_MESSAGE_BYTES}`);
}
