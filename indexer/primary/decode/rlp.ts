import type { Layout } from "../../../core/formats/codec/bytes/layout.ts";
import { type Reader, readBytes, readHex, readU8, refuse } from "../../../core/formats/codec/bytes/reader.ts";

/** An RLP item whose header was read: the reader is at its content, which ends at `end`. */
interface Item {
  readonly isList: boolean;
  readonly end: number;
}

const FIRST_STRING = 0x80;
const FIRST_LIST = 0xc0;
/** Longest content whose length is in the first byte. The length of longer content follows the first byte. */
const LONGEST_SHORT = 55;
/** Lengths and numbers have at most 48 bits. */
const MAX_NUMBER_BYTES = 6;

/** Reads the header of an item. Only the shortest encoding is valid. */
function readHeader(reader: Reader): Item {
  const start = reader.at;
  const first = readU8(reader);
  if (first < FIRST_STRING) {
    reader.at = start;
    return { isList: false, end: start + 1 };
  }
  const isList = first >= FIRST_LIST;
  const size = first - (isList ? FIRST_LIST : FIRST_STRING);
  const length = size <= LONGEST_SHORT ? size : readLength(reader, size - LONGEST_SHORT);
  const left = reader.bytes.length - reader.at;
  if (length > left) refuse(reader, `an item of ${length} bytes, ${left} bytes left`, start);
  if (!isList && length === 1 && (reader.bytes[reader.at] as number) < FIRST_STRING)
    refuse(reader, "a single byte with an unnecessary length", start);
  return { isList, end: reader.at + length };
}

function readLength(reader: Reader, bytes: number): number {
  const start = reader.at;
  const length = readNumber(reader, bytes);
  if (length <= LONGEST_SHORT) refuse(reader, `a length of ${length} in the long form`, start);
  return length;
}

function readNumber(reader: Reader, bytes: number): number {
  const start = reader.at;
  if (bytes > MAX_NUMBER_BYTES) refuse(reader, `a number of ${bytes} bytes`);
  const digits = readBytes(reader, bytes);
  if (digits[0] === 0) refuse(reader, "a number with leading zeros", start);
  return digits.reduce((number, digit) => number * 256 + digit, 0);
}

function readStringHeader(reader: Reader): number {
  const start = reader.at;
  const { isList, end } = readHeader(reader);
  return isList ? refuse(reader, "a list, not a string", start) : end;
}

function readListHeader(reader: Reader): number {
  const start = reader.at;
  const { isList, end } = readHeader(reader);
  return isList ? end : refuse(reader, "a string, not a list", start);
}

function expectEnd(reader: Reader, end: number): void {
  if (reader.at !== end) refuse(reader, `the list ends at byte ${end}`);
}

/** A string of any length, as a view of the input. */
export const rlpString: Layout<Uint8Array> = {
  minBytes: 1,
  read(reader) {
    const end = readStringHeader(reader);
    return readBytes(reader, end - reader.at);
  },
};

/** A string of exactly that many bytes (at least two), in hex. */
export function rlpHex(length: number): Layout<string> {
  return {
    minBytes: 1 + length,
    read(reader) {
      const start = reader.at;
      const found = readStringHeader(reader) - reader.at;
      return found === length ? readHex(reader, length) : refuse(reader, `${found} bytes, not ${length}`, start);
    },
  };
}

/** A number below 2^48 without leading zeros. */
export const rlpInteger: Layout<number> = {
  minBytes: 1,
  read(reader) {
    const end = readStringHeader(reader);
    return readNumber(reader, end - reader.at);
  },
};

/** Any item with its header, as a view of the input. The elements of a list are not checked. */
export const rlpItem: Layout<Uint8Array> = {
  minBytes: 1,
  read(reader) {
    const start = reader.at;
    const { end } = readHeader(reader);
    reader.at = start;
    return readBytes(reader, end - start);
  },
};

/** A list whose content a layout reads completely. */
export function rlpList<Value>(content: Layout<Value>): Layout<Value> {
  return {
    minBytes: 1 + content.minBytes,
    read(reader) {
      const end = readListHeader(reader);
      const value = content.read(reader);
      expectEnd(reader, end);
      return value;
    },
  };
}

/** A list that starts with the content of a layout and may have more strings after it. */
export function rlpOpenList<Value>(content: Layout<Value>): Layout<Value> {
  return {
    minBytes: 1 + content.minBytes,
    read(reader) {
      const end = readListHeader(reader);
      const value = content.read(reader);
      while (reader.at < end) rlpString.read(reader);
      expectEnd(reader, end);
      return value;
    },
  };
}

/** A list of elements of one layout. */
export function rlpListOf<Value>(element: Layout<Value>): Layout<readonly Value[]> {
  return {
    minBytes: 1,
    read(reader) {
      const end = readListHeader(reader);
      const values: Value[] = [];
      const depth = reader.path.push(0) - 1;
      while (reader.at < end) {
        reader.path[depth] = values.length;
        values.push(element.read(reader));
      }
      reader.path.pop();
      expectEnd(reader, end);
      return values;
    },
  };
}

/** A value together with the bytes that it was read from, as a view of the input. */
export function withBytes<Value>(layout: Layout<Value>): Layout<{ readonly value: Value; readonly bytes: Uint8Array }> {
  return {
    minBytes: layout.minBytes,
    read(reader) {
      const start = reader.at;
      const value = layout.read(reader);
      return { value, bytes: reader.bytes.subarray(start, reader.at) };
    },
  };
}
