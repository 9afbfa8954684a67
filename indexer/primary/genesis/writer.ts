const FIRST_BYTES = 64 * 1024;

/** Encodes values into bytes; numbers are unsigned and big-endian. Methods that write return the writer. */
export interface Writer {
  /** Number of bytes written so far. */
  readonly at: number;
  u8(value: number): Writer;
  u16(value: number): Writer;
  u32(value: number): Writer;
  u64(value: bigint | number): Writer;
  /** Bytes given in hex, without a length. */
  hex(digits: string): Writer;
  /** Bytes without a length. */
  raw(bytes: Uint8Array): Writer;
  /** Bytes with a 4-byte length. */
  blob(bytes: Uint8Array): Writer;
  /** UTF-8 with a 2-byte length. */
  text(value: string): Writer;
  /** A 4-byte count, then the elements. */
  list<Element>(elements: readonly Element[], write: (element: Element, index: number) => void): Writer;
  /** A view of the bytes from offset `start` on; valid until the next write. */
  since(start: number): Uint8Array;
  /** A copy of all bytes. */
  finish(): Buffer;
}

/** A writer in the format that the codec reads. */
export function createWriter(): Writer {
  let buffer = Buffer.alloc(FIRST_BYTES);
  let view = viewOf(buffer);
  let at = 0;
  /** Reserves that many bytes and returns their offset. */
  const take = (length: number): number => {
    const start = at;
    at += length;
    if (at > buffer.length) {
      const larger = Buffer.alloc(Math.max(at, buffer.length * 2));
      larger.set(buffer);
      buffer = larger;
      view = viewOf(buffer);
    }
    return start;
  };
  const writer: Writer = {
    get at() {
      return at;
    },
    u8(value) {
      const start = take(1);
      view.setUint8(start, value);
      return writer;
    },
    u16(value) {
      const start = take(2);
      view.setUint16(start, value);
      return writer;
    },
    u32(value) {
      const start = take(4);
      view.setUint32(start, value);
      return writer;
    },
    u64(value) {
      const start = take(8);
      view.setBigUint64(start, BigInt(value));
      return writer;
    },
    hex(digits) {
      const start = take(digits.length / 2);
      buffer.write(digits, start, "hex");
      return writer;
    },
    raw(bytes) {
      const start = take(bytes.length);
      buffer.set(bytes, start);
      return writer;
    },
    blob: (bytes) => writer.u32(bytes.length).raw(bytes),
    text(value) {
      const bytes = Buffer.from(value);
      return writer.u16(bytes.length).raw(bytes);
    },
    list(elements, write) {
      writer.u32(elements.length);
      for (const [index, element] of elements.entries()) write(element, index);
      return writer;
    },
    since: (start) => buffer.subarray(start, at),
    finish: () => Buffer.from(buffer.subarray(0, at)),
  };
  return writer;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
