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

/** How bytes become a value. The codec is tables of these; what a table says is also the type of what it reads. */
export interface Layout<Value> {
  /** Bytes that the smallest value takes: a list is refused before it is read when the rest is too short for its count. */
  readonly minBytes: number;
  read(reader: Reader): Value;
}

/** The value that a layout reads. */
export type Read<Any> = Any extends Layout<infer Value> ? Value : never;

type Fields = Readonly<Record<string, Layout<unknown>>>;
type ReadFields<All extends Fields> = { readonly [Name in keyof All]: Read<All[Name]> };

const primitive = <Value>(minBytes: number, read: (reader: Reader) => Value): Layout<Value> => ({ minBytes, read });
const fixedHex = (length: number): Layout<string> => primitive(length, (reader) => readHex(reader, length));

export const u8 = primitive(1, readU8);
export const u32 = primitive(4, readU32);
/** An amount, a weight, or a lock time: anything that may need all 64 bits. */
export const u64 = primitive(8, readU64);
/** A height, a nonce, or seconds: 64 bits of which a JavaScript number holds what the chain lets in. */
export const integer = primitive(8, readInteger);

/** 32 bytes: a transaction, block, chain, subnet, asset or validation. Hex, as all that follow up to `blob`. */
export const id = fixedHex(32);
/** 20 bytes: an address or a node. */
export const shortId = fixedHex(20);
export const blsPublicKey = fixedHex(48);
export const blsSignature = fixedHex(96);
export const secpSignature = fixedHex(65);
/** Any number of bytes after their 4-byte length. */
export const hexBytes = primitive(4, (reader) => readHex(reader, readU32(reader)));
/** A node id after its length, as the newer transactions write it. */
export const sizedNodeId = primitive(24, (reader) => {
  const length = readU32(reader);
  if (length !== 20) refuse(reader, `a node id of ${length} bytes`, reader.at - 4);
  return readHex(reader, 20);
});

/** Any number of bytes after their 4-byte length, not copied. */
export const blob = primitive(4, (reader) => readBytes(reader, readU32(reader)));
/** UTF-8 after its 2-byte length. */
export const text = primitive(2, (reader) => readText(reader, readU16(reader)));
export const bool = primitive(1, (reader) => {
  const byte = readU8(reader);
  if (byte > 1) refuse(reader, `${byte} is no boolean`, reader.at - 1);
  return byte === 1;
});

/** A value that takes no bytes, such as the name of a type whose number was just read. */
export const constant = <const Value>(value: Value): Layout<Value> => primitive(0, () => value);

/** Fields one after the other. */
export function struct<const All extends Fields>(fields: All): Layout<ReadFields<All>> {
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
    return value as ReadFields<All>; // one value for each of the fields, by name
  });
}

/** Elements of one layout after their 4-byte count. */
export function list<Value>(element: Layout<Value>): Layout<readonly Value[]> {
  if (element.minBytes === 0) throw new RangeError("a list of nothing has no bound");
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
type ReadOneOf<All extends Table> = Read<All[keyof All]>;

/** One of several layouts, by the 4-byte type id before it. */
export function oneOf<const All extends Table>(table: All): Layout<ReadOneOf<All>> {
  return choice(table, 4, readU32, "type id");
}

/** One of several layouts, by the 2-byte codec version before it. */
export function versions<const All extends Table>(table: All): Layout<ReadOneOf<All>> {
  return choice(table, 2, readU16, "codec version");
}

function choice<All extends Table>(table: All, keyBytes: number, readKey: (reader: Reader) => number, what: string) {
  const layouts = new Map(Object.entries(table).map(([key, layout]) => [Number(key), layout]));
  const smallest = Math.min(...[...layouts.values()].map(({ minBytes }) => minBytes));
  return primitive(keyBytes + smallest, (reader) => {
    const key = readKey(reader);
    const layout = layouts.get(key);
    if (!layout) return refuse(reader, `${what} ${key}, not ${[...layouts.keys()].join(" or ")}`, reader.at - keyBytes);
    return layout.read(reader) as ReadOneOf<All>; // the table's own
  });
}

/** A value after its 4-byte length, which it must fill. */
export function sized<Value>(layout: Layout<Value>): Layout<Value> {
  return primitive(4 + layout.minBytes, (reader) => {
    const length = readU32(reader);
    const start = reader.at;
    const value = layout.read(reader);
    if (reader.at - start !== length) refuse(reader, `${reader.at - start} bytes read of ${length}`, start);
    return value;
  });
}

/** Reads bytes that hold a value and nothing else; `what` they are is told in errors (`BadUpstreamData`). */
export function decode<Value>(layout: Layout<Value>, bytes: Uint8Array, what: string): Value {
  const reader = createReader(bytes, what);
  const value = layout.read(reader);
  expectEnd(reader);
  return value;
}
