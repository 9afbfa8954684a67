import {
  createReader,
  expectEnd,
  type Reader,
  readBytes,
  readCount,
  readHex,
  readInteger,
  readText,
  readU8,
  readU16,
  readU32,
  readU64,
  refuse,
} from "./reader.ts";

/**
 * Decodes a value from bytes. Every type that the codec knows is a table of layouts; its TypeScript type follows from the
 * table.
 */
export interface Layout<Value> {
  /** Size of the smallest value. A list whose elements cannot fit into the remaining bytes is refused before it is read. */
  readonly minBytes: number;
  read(reader: Reader): Value;
}

/** The type of the value that a layout reads. */
export type ValueOf<Any> = Any extends Layout<infer Value> ? Value : never;

type Fields = Readonly<Record<string, Layout<unknown>>>;
type StructValue<All extends Fields> = { readonly [Name in keyof All]: ValueOf<All[Name]> };

const primitive = <Value>(minBytes: number, read: (reader: Reader) => Value): Layout<Value> => ({ minBytes, read });
const fixedHex = (length: number): Layout<string> => primitive(length, (reader) => readHex(reader, length));

export const u8 = primitive(1, readU8);
export const u32 = primitive(4, readU32);
/** A 64-bit number that may exceed 2^53, such as an amount, a weight or a locktime. */
export const u64 = primitive(8, readU64);
/** A 64-bit number below 2^53, such as a height, a nonce or a Unix time. Any other number is refused. */
export const integer = primitive(8, readInteger);

/** A 32-byte id of a transaction, block, chain, subnet, asset or validation, as hex. */
export const id = fixedHex(32);
/** A 20-byte id of an address or a node, as hex. */
export const shortId = fixedHex(20);
export const blsPublicKey = fixedHex(48);
export const blsSignature = fixedHex(96);
export const secpSignature = fixedHex(65);
/** Bytes with a 4-byte length prefix, as hex. */
export const hexBytes = primitive(4, (reader) => readHex(reader, readU32(reader)));
/** A node id with a 4-byte length prefix, as ConvertSubnetToL1Tx and AddAutoRenewedValidatorTx encode it. */
export const sizedNodeId = primitive(24, (reader) => {
  const length = readU32(reader);
  if (length !== 20) refuse(reader, `a node id must have 20 bytes, got ${length}`, reader.at - 4);
  return readHex(reader, 20);
});

/** Bytes with a 4-byte length prefix, as a view of the input. */
export const blob = primitive(4, (reader) => readBytes(reader, readU32(reader)));
/** UTF-8 text with a 2-byte length prefix. */
export const text = primitive(2, (reader) => readText(reader, readU16(reader)));
export const bool = primitive(1, (reader) => {
  const byte = readU8(reader);
  if (byte > 1) refuse(reader, `${byte} is not a boolean`, reader.at - 1);
  return byte === 1;
});

/** A constant that takes no bytes, such as the name of the type whose id was just read. */
export const constant = <const Value>(value: Value): Layout<Value> => primitive(0, () => value);

/** Fields one after another, without separators. */
export function struct<const All extends Fields>(fields: All): Layout<StructValue<All>> {
  const entries = Object.entries(fields);
  const minBytes = entries.reduce((sum, [, field]) => sum + field.minBytes, 0);
  return primitive(minBytes, (reader) => {
    const value: Record<string, unknown> = {};
    const depth = reader.path.push("") - 1;
    for (const [name, field] of entries) {
      reader.path[depth] = name;
      value[name] = field.read(reader);
    }
    reader.path.pop();
    return value as StructValue<All>; // every field was read
  });
}

/** A list: a 4-byte count, then the elements. */
export function list<Value>(element: Layout<Value>): Layout<readonly Value[]> {
  if (element.minBytes === 0) throw new RangeError("the elements of a list must take at least one byte");
  return primitive(4, (reader) => {
    const count = readCount(reader, element.minBytes);
    const values: Value[] = [];
    const depth = reader.path.push(0) - 1;
    for (let i = 0; i < count; i++) {
      reader.path[depth] = i;
      values.push(element.read(reader));
    }
    reader.path.pop();
    return values;
  });
}

type Table = Readonly<Record<number, Layout<unknown>>>;
type VariantValue<All extends Table> = ValueOf<All[keyof All]>;

/** A value whose layout depends on the 4-byte type id before it. */
export function oneOf<const All extends Table>(table: All): Layout<VariantValue<All>> {
  return choice(table, 4, readU32, "type id");
}

/** A value whose layout depends on the 2-byte codec version before it. */
export function versions<const All extends Table>(table: All): Layout<VariantValue<All>> {
  return choice(table, 2, readU16, "codec version");
}

function choice<All extends Table>(table: All, keyBytes: number, readKey: (reader: Reader) => number, what: string) {
  const layouts = new Map(Object.entries(table).map(([key, layout]) => [Number(key), layout]));
  const smallest = Math.min(...[...layouts.values()].map(({ minBytes }) => minBytes));
  return primitive(keyBytes + smallest, (reader) => {
    const key = readKey(reader);
    const layout = layouts.get(key);
    if (!layout) return refuse(reader, `${what} ${key}, not ${[...layouts.keys()].join(" or ")}`, reader.at - keyBytes);
    return layout.read(reader) as VariantValue<All>; // a value of this table
  });
}

/** A value with a 4-byte length prefix, which must equal the length of the value. */
export function sized<Value>(layout: Layout<Value>): Layout<Value> {
  return primitive(4 + layout.minBytes, (reader) => {
    const length = readU32(reader);
    const start = reader.at;
    const value = layout.read(reader);
    const size = reader.at - start;
    if (size !== length) refuse(reader, `length prefix is ${length}, but the value has ${size} bytes`, start);
    return value;
  });
}

/**
 * Decodes bytes that hold exactly one value. Throws a `BadUpstreamData` that names `what`, the field, the offset and the problem.
 */
export function decode<Value>(layout: Layout<Value>, bytes: Uint8Array, what: string): Value {
  const reader = createReader(bytes, what);
  const value = layout.read(reader);
  expectEnd(reader);
  return value;
}
