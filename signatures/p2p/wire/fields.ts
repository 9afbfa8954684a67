import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** The tag of a field with a varint. */
export const varint = (field: number): number => (field << 3) | WireType.Varint;
/** The tag of a field with bytes, a text or a message. */
export const delimited = (field: number): number => (field << 3) | WireType.LengthDelimited;

/** What to do with each field, by its tag. */
export type FieldReaders = Readonly<Record<number, (reader: BinaryReader) => void>>;

/** Reads a protobuf message. Unknown fields are skipped. Throws if the bytes are malformed. */
export function readFields(bytes: Uint8Array, readers: FieldReaders): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const read = readers[(field << 3) | type];
    if (read) read(reader);
    else reader.skip(type, field);
  }
}
