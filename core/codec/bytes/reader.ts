import { isUtf8 } from "node:buffer";
import { BadUpstreamData } from "../../errors.ts";

/** Where reading of some bytes has come to. What cannot be read is a `BadUpstreamData` naming it, its offset and the reason. */
export interface Reader {
  /** What the bytes are; every error tells it. */
  readonly what: string;
  readonly bytes: Buffer;
  readonly view: DataView;
  /** Offset of the next byte. */
  at: number;
  /** Names of what is being read, from the outside in; every error tells them. */
  readonly path: (string | number)[];
}

const TWO_32 = 2 ** 32;
/** High half of the first number that is not safe. */
const UNSAFE_HIGH = 2 ** 21;

/** A reader at the start of those bytes. */
export function createReader({ buffer, byteOffset, byteLength }: Uint8Array, what: string): Reader {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return { what, bytes, view: new DataView(buffer, byteOffset, byteLength), at: 0, path: [] };
}

/** Refuses what was read at that offset. */
export function refuse({ what, path, at }: Reader, problem: string, offset = at): never {
  const place = path.length > 0 ? `, ${path.join(".")}` : "";
  throw new BadUpstreamData(`${what}${place} at byte ${offset}: ${problem}`);
}

/** Refuses bytes that are left. */
export function expectEnd(reader: Reader): void {
  const left = reader.bytes.length - reader.at;
  if (left > 0) refuse(reader, `${left} bytes left over`);
}

/** Moves past that many bytes and returns the offset where they start. */
function take(reader: Reader, length: number): number {
  const start = reader.at;
  const left = reader.bytes.length - start;
  if (length > left) refuse(reader, `${length} bytes wanted, ${left} left`);
  reader.at = start + length;
  return start;
}

/** All numbers are unsigned and big-endian. */
export function readU8(reader: Reader): number {
  return reader.view.getUint8(take(reader, 1));
}

export function readU16(reader: Reader): number {
  return reader.view.getUint16(take(reader, 2));
}

export function readU32(reader: Reader): number {
  return reader.view.getUint32(take(reader, 4));
}

export function readU64(reader: Reader): bigint {
  return reader.view.getBigUint64(take(reader, 8));
}

/** Eight bytes of a number that is never large (a height, a time); refused when a JavaScript number cannot hold it. */
export function readInteger(reader: Reader): number {
  const { view } = reader;
  const start = take(reader, 8);
  const high = view.getUint32(start);
  if (high >= UNSAFE_HIGH) refuse(reader, `${view.getBigUint64(start)} is too large`, start);
  return high * TWO_32 + view.getUint32(start + 4);
}

/** The next bytes, not copied. */
export function readBytes(reader: Reader, length: number): Uint8Array {
  const start = take(reader, length);
  return reader.bytes.subarray(start, reader.at);
}

/** The next bytes as lower-case hex digits. */
export function readHex(reader: Reader, length: number): string {
  const start = take(reader, length);
  return reader.bytes.toString("hex", start, reader.at);
}

/** The next bytes as UTF-8; refused when they are not. */
export function readText(reader: Reader, length: number): string {
  const start = take(reader, length);
  const bytes = reader.bytes.subarray(start, reader.at);
  if (!isUtf8(bytes)) refuse(reader, "not UTF-8", start);
  return bytes.toString("utf8");
}

/** A 4-byte count of elements, refused when the rest is too short for them, each of at least `minBytes`. */
export function readCount(reader: Reader, minBytes: number): number {
  const count = readU32(reader);
  const left = reader.bytes.length - reader.at;
  if (count * minBytes > left)
    refuse(reader, `${count} elements of at least ${minBytes} bytes wanted, ${left} bytes left`, reader.at - 4);
  return count;
}
