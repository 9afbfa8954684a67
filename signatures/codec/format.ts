import { BadUpstreamData } from "../../core/errors/errors.ts";
import * as layout from "../../core/formats/codec/bytes/layout.ts";
import { MalformedMessage } from "./malformed-message.ts";

/**
 * A layout that can also be written. Values are as the layouts of `core/formats/codec` read them: ids and keys in hex without `0x`,
 * 64-bit numbers as bigint, byte fields as views of the input.
 */
export interface Format<Value> extends layout.Layout<Value> {
  /** Adds the bytes of the value to the parts. Throws `RangeError` if the value does not fit. */
  write(value: Value, parts: Uint8Array[]): void;
}

/** The type of the value that a format reads and writes. */
export type ValueOf<Any> = layout.ValueOf<Any>;

function writable<Value>(
  { minBytes, read }: layout.Layout<Value>,
  write: (value: Value, parts: Uint8Array[]) => void,
): Format<Value> {
  return { minBytes, read, write };
}

export const u32 = writable(layout.u32, (value, parts) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  parts.push(bytes);
});

export const u64 = writable(layout.u64, (value, parts) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  parts.push(bytes);
});

export const bool = writable(layout.bool, (value, parts) => {
  parts.push(Buffer.of(value ? 1 : 0));
});

/** Bytes with a 4-byte length prefix. */
export const blob = writable(layout.blob, (value, parts) => {
  u32.write(value.byteLength, parts);
  parts.push(value);
});

/** A 32-byte id in hex. */
export const id = fixedHex(layout.id, 32);
/** A 20-byte address in hex. */
export const shortId = fixedHex(layout.shortId, 20);
export const blsPublicKey = fixedHex(layout.blsPublicKey, 48);
export const blsSignature = fixedHex(layout.blsSignature, 96);

/** A node id in hex, after its length, which must be 20. */
export const sizedNodeId = writable(layout.sizedNodeId, (value, parts) => {
  u32.write(20, parts);
  shortId.write(value, parts);
});

function fixedHex(format: layout.Layout<string>, length: number): Format<string> {
  return writable(format, (value, parts) => {
    if (value.length !== length * 2 || !/^[0-9a-f]*$/.test(value))
      throw new RangeError(`${JSON.stringify(value)} is not ${length} bytes in lower-case hex`);
    parts.push(Buffer.from(value, "hex"));
  });
}

type Fields = Readonly<Record<string, Format<unknown>>>;
type StructOf<All extends Fields> = { readonly [Name in keyof All]: ValueOf<All[Name]> };

/** Fields one after another. */
export function struct<const All extends Fields>(fields: All): Format<StructOf<All>> {
  const entries = Object.entries(fields);
  return writable<StructOf<All>>(layout.struct(fields), (value, parts) => {
    for (const [name, format] of entries) format.write(value[name], parts);
  });
}

/** A 4-byte count, then the elements. */
export function list<Value>(element: Format<Value>): Format<readonly Value[]> {
  return writable(layout.list(element), (values, parts) => {
    u32.write(values.length, parts);
    for (const value of values) element.write(value, parts);
  });
}

/** One of several types, with the name that its values have as `type`. */
export interface Variant<Value> extends Format<Value> {
  readonly type: string;
}

export function variant<const Type extends string, const All extends Fields>(
  type: Type,
  fields: All,
): Variant<{ readonly type: Type } & StructOf<All>> {
  const content = struct(fields);
  const read: layout.Layout<{ readonly type: Type } & StructOf<All>> = {
    minBytes: content.minBytes,
    read: (reader) => ({ type, ...content.read(reader) }),
  };
  return { ...writable(read, content.write), type };
}

type Variants = Readonly<Record<number, Variant<unknown>>>;

/** A value after its 4-byte type id. */
export function oneOf<const All extends Variants>(table: All): Format<ValueOf<All[keyof All]>> {
  type Value = ValueOf<All[keyof All]>;
  const byType = new Map(Object.entries(table).map(([typeId, format]) => [format.type, { typeId, format }]));
  return writable<Value>(layout.oneOf(table), (value, parts) => {
    const { type } = value as { readonly type: string }; // each variant has one
    const found = byType.get(type);
    if (!found) throw new RangeError(`${type} is not ${[...byType.keys()].join(" or ")}`);
    u32.write(Number(found.typeId), parts);
    found.format.write(value, parts);
  });
}

const VERSION = Buffer.alloc(2);

/** A value after codec version 0, the only one. */
export function versioned<Value>(content: Format<Value>): Format<Value> {
  return writable<Value>(layout.versions({ 0: content as layout.Layout<Value> }), (value, parts) => {
    parts.push(VERSION);
    content.write(value, parts);
  });
}

/** Parses bytes that hold exactly one value. Throws `MalformedMessage`, which names `what`. */
export function parse<Value>(format: Format<Value>, bytes: Uint8Array, what: string): Value {
  try {
    return layout.decode(format, bytes, what);
  } catch (error) {
    if (error instanceof BadUpstreamData) throw new MalformedMessage(error.message);
    throw error;
  }
}

/** The bytes of a value. Throws `RangeError` if a member does not fit into its field. */
export function encode<Value>(format: Format<Value>, value: Value): Uint8Array {
  const parts: Uint8Array[] = [];
  format.write(value, parts);
  return Buffer.concat(parts);
}
