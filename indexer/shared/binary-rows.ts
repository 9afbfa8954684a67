import { writeLowerCaseHex } from "./lower-case-hex.ts";

/** Types of the columns of a table. The type of a column that may be NULL ends with `?`. */
export type BinaryColumns = Readonly<Record<string, string>>;

/** An integer of a column of any numeric type, as a number, a bigint or a decimal text. */
export type Integer = number | bigint | string;
/** Bytes as they are, or as lower-case hex without `0x`. */
export type Bytes = string | Uint8Array;

const FIRST_BYTES = 1 << 16;
/** A larger buffer is not kept for the next rows. */
const MAX_KEPT_BYTES = 1 << 22;
const NULL_LENGTH = -1;
/**
 * Room behind the values of a row that were written: enough for all its values of a fixed size, and for the lengths of the others. A number
 * of 96 digits has 60 bytes, and no table has more than 64 columns.
 */
const SPARE_BYTES = 64 * 64;
const TWO_TO_32 = 2 ** 32;
/** PostgreSQL has numbers of any size as digits of base 10,000. */
const NUMERIC_BASE = 10_000;
const DECIMALS = 4;
const NUMERIC_HEAD_BYTES = 8;
const NEGATIVE = 0x4000;
const ZERO = 0x30;
const MINUS = "-";
/** Shorter hex is converted in JavaScript, which takes less time than a call of `Buffer.write`. */
const SHORT = 24;
const ARRAY_HEAD_BYTES = 12;
const DIMENSION_BYTES = 8;
/** Object ids of the types of the elements of arrays. */
const BYTEA_OID = 17;
const NUMERIC_OID = 1700;

/** The value does not fit into its column. */
export class UnfitValue extends RangeError {}

// One buffer serves all calls, one after the other.
let bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
let view: DataView = new DataView(bytes.buffer);

/**
 * Rows in the binary format of COPY (https://www.postgresql.org/docs/current/sql-copy.html), without the start and the end of the data.
 * PostgreSQL needs less time for them than for rows in a text format. The first of the columns is the chain or the network, which the rows
 * do not have. Throws `UnfitValue` if an integer does not fit its column, or if a text of bytes is not hex.
 */
export function binaryRows(columns: BinaryColumns, partition: Integer, rows: readonly object[]): Buffer {
  const write = rowWriter(columns);
  const first = Number.isSafeInteger(Number(partition)) ? Number(partition) : BigInt(partition);
  let at = 0;
  for (const row of rows) at = write(at, first, row);
  const result = Buffer.from(bytes.subarray(0, at));
  if (bytes.length > MAX_KEPT_BYTES) setBuffer(Buffer.allocUnsafeSlow(FIRST_BYTES));
  return result;
}

/** Makes room for these bytes, and for the rest of the row. */
function reserve(used: number, more = 0): void {
  if (used + more + SPARE_BYTES <= bytes.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(used + more + SPARE_BYTES, 2 * bytes.length));
  larger.set(bytes.subarray(0, used));
  setBuffer(larger);
}

function setBuffer(buffer: Buffer): void {
  bytes = buffer;
  view = new DataView(buffer.buffer);
}

// These functions return the position after the value.

type WriteRow = (at: number, partition: Integer, row: object) => number;

const WRITERS = {
  bigint: writeBigint,
  boolean: writeBoolean,
  bytea: writeBytea,
  "bytea[]": (at, values: readonly Bytes[]) => writeArray(at, BYTEA_OID, values, writeBytea),
  integer: writeInteger,
  numeric: writeNumeric,
  "numeric[]": (at, values: readonly Integer[]) => writeArray(at, NUMERIC_OID, values, writeNumeric),
  smallint: writeSmallint,
  text: writeText,
} satisfies Readonly<Record<string, (at: number, value: never) => number>>;

/** Types of columns that rows in the binary format may have. */
export type BinaryType = keyof typeof WRITERS;

const compiled = new Map<BinaryColumns, WriteRow>();

function rowWriter(columns: BinaryColumns): WriteRow {
  const known = compiled.get(columns);
  if (known) return known;
  const write = compile(columns);
  compiled.set(columns, write);
  return write;
}

/**
 * A function that writes a row, as code of its own for each table: its engine reads each value at its place in the object. A loop over the
 * names of the columns takes half as long again.
 */
function compile(columns: BinaryColumns): WriteRow {
  const names = Object.keys(columns);
  const writers = Object.values(columns).map((type) => WRITERS[type.replace("?", "") as BinaryType]);
  const [, ...values] = names.map(
    (name, i) => `value = row.${name}; at = value === null ? writeNull(at) : write${i}(at, value);`,
  );
  const source = `const [${names.map((_, i) => `write${i}`).join(", ")}] = writers;
return (at, partition, row) => {
  let value;
  at = write0(writeStart(at, ${names.length}), partition);
  ${values.join("\n  ")}
  return at;
};`;
  return new Function("writers", "writeStart", "writeNull", source)(writers, writeStart, writeNull) as WriteRow;
}

function writeStart(at: number, columns: number): number {
  reserve(at);
  view.setInt16(at, columns);
  return at + 2;
}

function writeNull(at: number): number {
  view.setInt32(at, NULL_LENGTH);
  return at + 4;
}

/** An array of one dimension without NULL. */
function writeArray<Item>(
  at: number,
  type: number,
  values: readonly Item[],
  write: (at: number, value: Item) => number,
): number {
  reserve(at);
  view.setInt32(at + 4, values.length > 0 ? 1 : 0);
  view.setInt32(at + 8, 0);
  view.setInt32(at + 12, type);
  let next = at + 4 + ARRAY_HEAD_BYTES;
  if (values.length > 0) {
    view.setInt32(next, values.length);
    view.setInt32(next + 4, 1);
    next += DIMENSION_BYTES;
  }
  for (const value of values) {
    reserve(next);
    next = write(next, value);
  }
  view.setInt32(at, next - at - 4);
  return next;
}

function writeInteger(at: number, value: Integer): number {
  const number = Number(value);
  if ((number | 0) !== number) throw notFitting(value, 4);
  view.setInt32(at, 4);
  view.setInt32(at + 4, number);
  return at + 8;
}

function writeSmallint(at: number, value: Integer): number {
  const number = Number(value);
  if ((number << 16) >> 16 !== number) throw notFitting(value, 2);
  view.setInt32(at, 2);
  view.setInt16(at + 4, number);
  return at + 6;
}

function writeBigint(at: number, value: Integer): number {
  const number = Number(value);
  view.setInt32(at, 8);
  if (Number.isSafeInteger(number)) {
    view.setInt32(at + 4, Math.floor(number / TWO_TO_32));
    view.setInt32(at + 8, number);
  } else {
    const exact = BigInt(value as string);
    if (BigInt.asIntN(64, exact) !== exact) throw notFitting(value, 8);
    view.setBigInt64(at + 4, exact);
  }
  return at + 12;
}

function writeNumeric(at: number, value: Integer): number {
  if (typeof value === "number" && value >= 0) return writeSmallNumeric(at, value);
  const text = String(value);
  reserve(at, text.length);
  const first = text.startsWith(MINUS) ? 1 : 0;
  const count = Math.ceil((text.length - first) / DECIMALS);
  let next = writeNumericHead(at, count, first === 1 ? NEGATIVE : 0);
  let end = text.length - DECIMALS * (count - 1);
  for (let from = first; from < text.length; from = end, end += DECIMALS) {
    let digit = 0;
    for (let i = from; i < end; i++) digit = 10 * digit + text.charCodeAt(i) - ZERO;
    view.setInt16(next, digit);
    next += 2;
  }
  return next;
}

/** An integer that a JavaScript number holds exactly. */
function writeSmallNumeric(at: number, value: number): number {
  let count = 1;
  let unit = 1;
  for (; unit * NUMERIC_BASE <= value; unit *= NUMERIC_BASE) count++;
  let next = writeNumericHead(at, count, 0);
  let rest = value;
  for (; unit >= 1; unit /= NUMERIC_BASE) {
    const digit = Math.floor(rest / unit);
    view.setInt16(next, digit);
    next += 2;
    rest -= digit * unit;
  }
  return next;
}

/** The number of digits, the exponent of the first one, the sign, and the number of decimals after the point. */
function writeNumericHead(at: number, digits: number, sign: number): number {
  view.setInt32(at, NUMERIC_HEAD_BYTES + 2 * digits);
  view.setInt16(at + 4, digits);
  view.setInt16(at + 6, digits - 1);
  view.setInt16(at + 8, sign);
  view.setInt16(at + 10, 0);
  return at + 12;
}

function writeBytea(at: number, value: Bytes): number {
  return typeof value === "string" ? writeHex(at, value) : writeBytes(at, value);
}

function writeHex(at: number, digits: string): number {
  const size = digits.length >> 1;
  reserve(at, size);
  view.setInt32(at, size);
  const isWritten =
    digits.length > SHORT ? bytes.write(digits, at + 4, "hex") === size : writeLowerCaseHex(digits, 0, bytes, at + 4);
  if (!isWritten || digits.length % 2 === 1) throw new UnfitValue(`${digits.slice(0, 80)} is not hex`);
  return at + 4 + size;
}

function writeBytes(at: number, value: Uint8Array): number {
  reserve(at, value.length);
  view.setInt32(at, value.length);
  bytes.set(value, at + 4);
  return at + 4 + value.length;
}

function writeText(at: number, value: string): number {
  // A character has at most three bytes for each of its UTF-16 units.
  reserve(at, 3 * value.length);
  const size = bytes.write(value, at + 4);
  view.setInt32(at, size);
  return at + 4 + size;
}

function writeBoolean(at: number, value: boolean): number {
  view.setInt32(at, 1);
  bytes[at + 4] = Number(value);
  return at + 5;
}

const notFitting = (value: Integer, size: number): UnfitValue =>
  new UnfitValue(`${value} does not fit into ${size} bytes`);
