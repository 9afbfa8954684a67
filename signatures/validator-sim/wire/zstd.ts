import { Decompress } from "fzstd";

const MAGIC = Buffer.from("28b52ffd", "hex");
const MAX_BLOCK_BYTES = 128 * 1024;
const RAW_BLOCK = 0;
const RLE_BLOCK = 1;
const COMPRESSED_BLOCK_BOMB_BYTES = 64 * 1024 * 1024;

/** A zstd frame (RFC 8878) of raw blocks: every decoder must accept it, and writing it needs no compressor. */
export function encodeZstd(content: Uint8Array): Buffer {
  const blocks: Buffer[] = [];
  for (let offset = 0; offset === 0 || offset < content.length; offset += MAX_BLOCK_BYTES) {
    const block = content.subarray(offset, offset + MAX_BLOCK_BYTES);
    const isLast = offset + MAX_BLOCK_BYTES >= content.length;
    blocks.push(blockHeader(RAW_BLOCK, block.length, isLast), Buffer.from(block));
  }
  return Buffer.concat([frameHeader(content.length), ...blocks]);
}

/** A valid frame of about 2 KiB that decompresses to 64 MiB of zeros. */
export function zipBomb(): Buffer {
  const count = COMPRESSED_BLOCK_BOMB_BYTES / MAX_BLOCK_BYTES;
  const blocks = Array.from({ length: count }, (_, index) =>
    Buffer.concat([blockHeader(RLE_BLOCK, MAX_BLOCK_BYTES, index === count - 1), Buffer.of(0)]),
  );
  // Window of 128 KiB, and no content size: the size shows only while the blocks are read.
  return Buffer.concat([MAGIC, Buffer.from([0x00, 0x38]), ...blocks]);
}

/** Single segment, content size of four bytes, no checksum, no dictionary. */
function frameHeader(contentBytes: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(contentBytes);
  return Buffer.concat([MAGIC, Buffer.of(0xa0), size]);
}

function blockHeader(type: number, size: number, isLast: boolean): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((isLast ? 1 : 0) | (type << 1) | (size << 3), 0, 3);
  return header;
}

/** The content of a zstd frame. Throws if it is malformed, or longer than `maxBytes`. */
export function decodeZstd(frame: Uint8Array, maxBytes: number): Buffer {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stream = new Decompress((chunk) => {
    length += chunk.length;
    if (length > maxBytes) throw new RangeError(`a frame decompresses to more than ${maxBytes} bytes`);
    chunks.push(chunk.slice());
  });
  stream.push(frame, true);
  return Buffer.concat(chunks);
}
