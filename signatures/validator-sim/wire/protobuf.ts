/** A field of a protobuf message: a number for varints, bytes for everything that has a length. */
export interface ProtobufField {
  readonly number: number;
  readonly value: bigint | Buffer;
}

/** Thrown for bytes that are not a protobuf message. */
export class WireError extends Error {
  override readonly name = "WireError";
}

const MAX_VARINT_BYTES = 10;
const MAX_FIELD_NUMBER = 2n ** 29n - 1n;

/** Reads a varint at an offset. Throws `WireError` if it does not end within ten bytes. */
export function readVarint(bytes: Buffer, offset: number): { readonly value: bigint; readonly end: number } {
  let value = 0n;
  for (let index = 0; index < MAX_VARINT_BYTES; index++) {
    const byte = bytes[offset + index];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: offset + index + 1 };
  }
  throw new WireError("a varint does not end");
}

/** All fields of a message in their order. Throws `WireError` for anything that is not one. */
export function readFields(bytes: Buffer): ProtobufField[] {
  const fields: ProtobufField[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const tag = readVarint(bytes, offset);
    const number = tag.value >> 3n;
    if (number === 0n || number > MAX_FIELD_NUMBER) throw new WireError(`field number ${number}`);
    const { value, end } = readValue(bytes, Number(tag.value & 7n), tag.end);
    fields.push({ number: Number(number), value });
    offset = end;
  }
  return fields;
}

function readValue(bytes: Buffer, wireType: number, offset: number): { value: bigint | Buffer; end: number } {
  if (wireType === 0) return readVarint(bytes, offset);
  const length = wireType === 2 ? readVarint(bytes, offset) : { value: fixedLength(wireType), end: offset };
  const end = length.end + Number(length.value);
  if (end > bytes.length) throw new WireError("a field is longer than its message");
  return { value: bytes.subarray(length.end, end), end };
}

function fixedLength(wireType: number): bigint {
  if (wireType === 1) return 8n;
  if (wireType === 5) return 4n;
  throw new WireError(`wire type ${wireType}`);
}

/** The bytes of the last field with a number; empty if there is none. Throws `WireError` if it is a varint. */
export function bytesOf(fields: readonly ProtobufField[], number: number): Buffer {
  const value = fields.findLast((field) => field.number === number)?.value ?? Buffer.alloc(0);
  if (typeof value === "bigint") throw new WireError(`field ${number} is no byte string`);
  return value;
}

/** The bytes of all fields with a number. Throws `WireError` if one of them is a varint. */
export function allBytesOf(fields: readonly ProtobufField[], number: number): Buffer[] {
  return fields.filter((field) => field.number === number).map((field) => bytesOf([field], number));
}

/** The value of the last varint with a number; zero if there is none. Throws `WireError` if it has a length. */
export function varintOf(fields: readonly ProtobufField[], number: number): bigint {
  const value = fields.findLast((field) => field.number === number)?.value ?? 0n;
  if (typeof value !== "bigint") throw new WireError(`field ${number} is no varint`);
  return value;
}

/** True if a message has a field with the number. */
export function hasField(fields: readonly ProtobufField[], number: number): boolean {
  return fields.some((field) => field.number === number);
}

function encodeVarint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}

/** A byte string field, written even if it is empty. */
export function bytesField(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([encodeVarint((BigInt(number) << 3n) | 2n), encodeVarint(BigInt(bytes.length)), bytes]);
}

/** A varint field; nothing for zero, as proto3 prescribes. */
export function varintField(number: number, value: bigint | number): Buffer {
  if (BigInt(value) === 0n) return Buffer.alloc(0);
  return Buffer.concat([encodeVarint(BigInt(number) << 3n), encodeVarint(BigInt(value))]);
}
