/** Thrown for bytes that break the rules of avalanchego's codec; messages are the node's own. */
export class CodecError extends Error {
  override readonly name = "CodecError";
}

/** Reads big-endian values, as avalanchego's `wrappers.Packer` does. */
export interface Unpacker {
  uint32(): number;
  uint64(): bigint;
  boolean(): boolean;
  fixed(length: number): Buffer;
  /** A byte string behind four bytes of length. */
  bytes(): Buffer;
}

/**
 * Parses a top-level object: two bytes of codec version, which must be 0, then what `read` takes. Throws `CodecError` if
 * bytes are missing or left over.
 */
export function unpack<Value>(source: Buffer, read: (unpacker: Unpacker) => Value): Value {
  if (source.length < 2) throw new CodecError("couldn't unpack codec version");
  if (source.readUInt16BE() !== 0) throw new CodecError("unknown codec version");
  let offset = 2;
  const fixed = (length: number): Buffer => {
    if (offset + length > source.length) throw new CodecError("packer has insufficient length for input");
    offset += length;
    return source.subarray(offset - length, offset);
  };
  const value = read({
    fixed,
    uint32: () => fixed(4).readUInt32BE(),
    uint64: () => fixed(8).readBigUInt64BE(),
    boolean: () => booleanOf(fixed(1)[0]),
    bytes: () => fixed(fixed(4).readUInt32BE()),
  });
  if (offset < source.length) throw new CodecError(`trailing buffer space: read ${offset} provided ${source.length}`);
  return value;
}

function booleanOf(byte: number | undefined): boolean {
  if (byte !== 0 && byte !== 1) throw new CodecError("unexpected value when unpacking bool");
  return byte === 1;
}

/** Parses an object behind a type id, where only the types of the table exist. */
export function unpackTyped<Value>(
  source: Buffer,
  types: Readonly<Record<number, (unpacker: Unpacker) => Value>>,
): Value {
  return unpack(source, (unpacker) => {
    const read = types[typeIdOf(unpacker)];
    if (!read) throw new CodecError(`couldn't unmarshal interface: unknown type ID ${source.readUInt32BE(2)}`);
    return read(unpacker);
  });
}

function typeIdOf(unpacker: Unpacker): number {
  try {
    return unpacker.uint32();
  } catch (error) {
    throw new CodecError(`couldn't unmarshal interface: ${(error as Error).message}`);
  }
}
