import { isUtf8 } from "node:buffer";
import { BadUpstreamData } from "../../errors.ts";

/** Reads bytes from their start, big-endian. What cannot be read is a `BadUpstreamData` naming it, its offset and the reason. */
export interface Reader {
  /** Names of what is being read, from the outside in; every error tells them. */
  readonly path: (string | number)[];
  /** Offset of the next byte. */
  at(): number;
  u8(): number;
  u16(): number;
  u32(): number;
  u64(): bigint;
  /** Eight bytes of a number that is never large (a height, a time): an error when a JavaScript number cannot hold it. */
  integer(): number;
  /** The next bytes, not copied. */
  bytes(length: number): Uint8Array;
  /** The next bytes as lower-case hex digits. */
  hex(length: number): string;
  /** The next bytes as UTF-8; an error when they are not. */
  text(length: number): string;
  /** A 4-byte count of elements, an error when the rest is too short for them, each of at least `minBytes`. */
  count(minBytes: number): number;
  /** What was read since that offset, not copied. */
  since(start: number): Uint8Array;
  /** An error when bytes are left. */
  end(): void;
  /** Refuses what was read at that offset. */
  fail(problem: string, offset?: number): never;
}

const TWO_32 = 2 ** 32;
const SAFE_HIGH = 2 ** 21;

/** A reader of those bytes; `what` they are is told in every error. */
export function createReader(bytes: Uint8Array, what: string): Reader {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = bytes.byteLength;
  const path: (string | number)[] = [];
  let at = 0;

  const fail = (problem: string, offset = at): never => {
    const place = path.length > 0 ? `, ${path.join(".")}` : "";
    throw new BadUpstreamData(`${what}${place} at byte ${offset}: ${problem}`);
  };
  /** Moves past that many bytes and returns the offset where they start. */
  const take = (length: number): number => {
    if (length > size - at) fail(`${length} bytes wanted, ${size - at} left`);
    at += length;
    return at - length;
  };
  const u32 = (): number => view.getUint32(take(4));

  return {
    path,
    at: () => at,
    u8: () => view.getUint8(take(1)),
    u16: () => view.getUint16(take(2)),
    u32,
    u64: () => view.getBigUint64(take(8)),
    integer() {
      const start = take(8);
      const high = view.getUint32(start);
      if (high >= SAFE_HIGH) fail(`${view.getBigUint64(start)} is too large`, start);
      return high * TWO_32 + view.getUint32(start + 4);
    },
    bytes(length) {
      const start = take(length);
      return bytes.subarray(start, at);
    },
    hex: (length) => buffer.toString("hex", take(length), at),
    text(length) {
      const start = take(length);
      if (!isUtf8(buffer.subarray(start, at))) fail("not UTF-8", start);
      return buffer.toString("utf8", start, at);
    },
    count(minBytes) {
      const count = u32();
      if (count * minBytes > size - at)
        fail(`${count} elements of at least ${minBytes} bytes wanted, ${size - at} bytes left`, at - 4);
      return count;
    },
    since: (start) => bytes.subarray(start, at),
    end() {
      if (at < size) fail(`${size - at} bytes left over`);
    },
    fail,
  };
}
