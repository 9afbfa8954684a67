import type { EncodedCopy } from "./copy-query.ts";
import { writeLowerCaseHex } from "./lower-case-hex.ts";

/** Types of columns that rows in the binary format may have. */
export type BinaryType = "bigint" | "boolean" | "bytea" | "integer" | "numeric" | "smallint" | "text";

/**
 * A value of a column: an integer as a number, a bigint or a decimal text; bytes as they are or as lower-case hex without `0x`; a boolean; a
 * text of ASCII characters. `null` is NULL.
 */
export type BinaryValue = number | bigint | string | boolean | Buffer | null;

export type BinaryRow = readonly BinaryValue[];

const FIRST_BYTES = 1 << 16;
/** A larger buffer is not kept for the next rows. */
const MAX_KEPT_BYTES = 1 << 22;
const NULL_LENGTH = -1;
/** At least the bytes of any value but a text or bytes: a number of 78 digits has 52. */
const MAX_NUMBER_BYTES = 64;
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

// One buffer serves all calls, one after the other.
let bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
let view: DataView = new DataView(bytes.buffer);

/** Types of the columns of a table, in the order of the values of its rows. */
export type BinaryColumns = Readonly<Record<string, BinaryType>>;

/** A COPY of rows. */
export function binaryCopy(table: string, columns: BinaryColumns, rows: readonly BinaryRow[]): EncodedCopy {
  return binaryCopyOf(table, columns, [binaryRows(columns, rows)]);
}

/** A COPY of rows that `binaryRows` has encoded. */
export function binaryCopyOf(table: string, columns: BinaryColumns, parts: readonly Buffer[]): EncodedCopy {
  return { table, columns: Object.keys(columns), parts, format: "binary" };
}

/**
 * Rows in the binary format of COPY (https://www.postgresql.org/docs/current/sql-copy.html), without the start and the end of the data.
 * PostgreSQL needs less time for them than for rows in a text format. Throws a RangeError if an integer does not fit its
 * column, or if a text of bytes is not hex.
 */
export function binaryRows(columns: BinaryColumns, rows: readonly BinaryRow[]): Buffer {
  const types = Object.values(columns);
  let at = 0;
  for (const row of rows) {
    reserve(at, maxLength(row));
    view.setInt16(at, types.length);
    at += 2;
    for (let i = 0; i < types.length; i++) at = writeValue(at, types[i] as BinaryType, row[i] as BinaryValue);
  }
  const result = Buffer.from(bytes.subarray(0, at));
  if (bytes.length > MAX_KEPT_BYTES) setBuffer(Buffer.allocUnsafeSlow(FIRST_BYTES));
  return result;
}

function maxLength(row: BinaryRow): number {
  let length = 2;
  for (const value of row)
    length += typeof value === "string" || value instanceof Buffer ? MAX_NUMBER_BYTES + value.length : MAX_NUMBER_BYTES;
  return length;
}

/** Makes room for more bytes after the first ones. */
function reserve(used: number, more: number): void {
  if (used + more <= bytes.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(used + more, 2 * bytes.length));
  larger.set(bytes.subarray(0, used));
  setBuffer(larger);
}

function setBuffer(buffer: Buffer): void {
  bytes = buffer;
  view = new DataView(buffer.buffer);
}

// These functions return the position after the value.

function writeValue(at: number, type: BinaryType, value: BinaryValue): number {
  if (value === null) {
    view.setInt32(at, NULL_LENGTH);
    return at + 4;
  }
  if (type === "bytea") return typeof value === "string" ? writeHex(at, value) : writeBytes(at, value as Buffer);
  if (type === "integer") return writeInteger(at, value);
  if (type === "numeric") return writeNumeric(at, value);
  if (type === "bigint") return writeBigint(at, value);
  if (type === "smallint") return writeSmallint(at, value);
  return type === "text" ? writeText(at, value as string) : writeBoolean(at, value as boolean);
}

function writeInteger(at: number, value: BinaryValue): number {
  const number = Number(value);
  if ((number | 0) !== number) throw notFitting(value, 4);
  view.setInt32(at, 4);
  view.setInt32(at + 4, number);
  return at + 8;
}

function writeSmallint(at: number, value: BinaryValue): number {
  const number = Number(value);
  if ((number << 16) >> 16 !== number) throw notFitting(value, 2);
  view.setInt32(at, 2);
  view.setInt16(at + 4, number);
  return at + 6;
}

function writeBigint(at: number, value: BinaryValue): number {
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

function writeNumeric(at: number, value: BinaryValue): number {
  if (typeof value === "number" && value >= 0) return writeSmallNumeric(at, value);
  const text = String(value);
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

function writeHex(at: number, digits: string): number {
  const size = digits.length >> 1;
  view.setInt32(at, size);
  const isWritten =
    digits.length > SHORT ? bytes.write(digits, at + 4, "hex") === size : writeLowerCaseHex(digits, 0, bytes, at + 4);
  if (!isWritten || digits.length % 2 === 1) throw new RangeError(`${digits.slice(0, 80)} is not hex`);
  return at + 4 + size;
}

function writeBytes(at: number, value: Buffer): number {
  view.setInt32(at, value.length);
  bytes.set(value, at + 4);
  return at + 4 + value.length;
}

function writeText(at: number, value: string): number {
  view.setInt32(at, value.length);
  return at + 4 + bytes.write(value, at + 4, "latin1");
}

function writeBoolean(at: number, value: boolean): number {
  view.setInt32(at, 1);
  bytes[at + 4] = Number(value);
  return at + 5;
}

const notFitting = (value: BinaryValue, size: number): RangeError =>
  new RangeError(`${value} does not fit into ${size} bytes`);
