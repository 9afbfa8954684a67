import { isUtf8 } from "node:buffer";
import { BadUpstreamData } from "../../../errors/errors.ts";

/**
 * Bytes that are being decoded, and the current position. Numbers are unsigned and big-endian. Errors are `BadUpstreamData` with
 * the name, field, offset and problem.
 */
export interface Reader {
  /** What the bytes are, for error messages. */
  readonly what: string;
  readonly bytes: Buffer;
  readonly view: DataView;
  /** Offset of the next byte. */
  at: number;
  /** Names of the fields that are being read, outermost first, for error messages. */
  readonly path: (string | number)[];
}

const TWO_32 = 2 ** 32;
/** Upper 32 bits of 2^53, the first integer that is not safe as a JavaScript number. */
const UNSAFE_HIGH = 2 ** 21;

/** A reader at the start of the bytes. */
export function createReader({ buffer, byteOffset, byteLength }: Uint8Array, what: string): Reader {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return { what, bytes, view: new DataView(buffer, byteOffset, byteLength), at: 0, path: [] };
}

/** Throws `BadUpstreamData`; the message describes the problem with the value at `offset`. */
export function refuse({ what, path, at }: Reader, problem: string, offset = at): never {
  const place = path.length > 0 ? `, ${path.join(".")}` : "";
  throw new BadUpstreamData(`${what}${place} at byte ${offset}: ${problem}`);
}

/** Throws `BadUpstreamData` if bytes are left over. */
export function expectEnd(reader: Reader): void {
  const left = reader.bytes.length - reader.at;
  if (left > 0) refuse(reader, `${left} bytes left over`);
}

/** Advances by that many bytes and returns the offset where they start. */
function take(reader: Reader, length: number): number {
  const start = reader.at;
  const left = reader.bytes.length - start;
  if (length > left) refuse(reader, `${length} bytes expected, ${left} left`);
  reader.at = start + length;
  return start;
}

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

/** A 64-bit number; refused from 2^53 on. */
export function readInteger(reader: Reader): number {
  const { view } = reader;
  const start = take(reader, 8);
  const high = view.getUint32(start);
  if (high >= UNSAFE_HIGH) refuse(reader, `${view.getBigUint64(start)} is too large`, start);
  return high * TWO_32 + view.getUint32(start + 4);
}

/** The next bytes, as a view of the input. */
export function readBytes(reader: Reader, length: number): Uint8Array {
  const start = take(reader, length);
  return reader.bytes.subarray(start, reader.at);
}

/** The next bytes as lower-case hex digits. */
export function readHex(reader: Reader, length: number): string {
  const start = take(reader, length);
  return reader.bytes.toString("hex", start, reader.at);
}

/** The next bytes as UTF-8; refused if they are invalid. */
export function readText(reader: Reader, length: number): string {
  const start = take(reader, length);
  const bytes = reader.bytes.subarray(start, reader.at);
  if (!isUtf8(bytes)) refuse(reader, "not UTF-8", start);
  return bytes.toString("utf8");
}

/** A 4-byte count of elements; refused if that many elements of `minBytes` do not fit into the remaining bytes. */
export function readCount(reader: Reader, minBytes: number): number {
  const count = readU32(reader);
  const left = reader.bytes.length - reader.at;
  if (count * minBytes > left)
    refuse(reader, `${count} elements of at least ${minBytes} bytes expected, ${left} bytes left`, reader.at - 4);
  return count;
}
