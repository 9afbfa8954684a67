import type { EncodedCopy } from "./copy-query.ts";

/** A value of a BIGINT column, the bytes of a BYTEA column, or NULL. */
export type BinaryValue = number | bigint | Buffer | null;

/** The start of the data: a signature, no flags, and no further header. */
const HEADER = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const END = Buffer.from([0xff, 0xff]);
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;
const BIGINT_BYTES = 8;
const NULL_LENGTH = -1;
/** Rows are put together until they have this length. */
const PART_BYTES = 1 << 16;

/**
 * Rows in the binary format of COPY (https://www.postgresql.org/docs/current/sql-copy.html), in which byte strings are half as long as in a
 * text. For tables whose columns are all BIGINT or BYTEA.
 */
export function binaryCopy(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly BinaryValue[])[],
): EncodedCopy {
  const parts: Buffer[] = [HEADER];
  let first = 0;
  let length = 0;
  for (const [i, row] of rows.entries()) {
    length += lengthOf(row);
    if (length < PART_BYTES && i < rows.length - 1) continue;
    parts.push(partOf(rows.slice(first, i + 1), length));
    first = i + 1;
    length = 0;
  }
  parts.push(END);
  return { table, columns, parts, format: "binary" };
}

function lengthOf(row: readonly BinaryValue[]): number {
  let length = COUNT_BYTES;
  for (const value of row)
    length += LENGTH_BYTES + (value === null ? 0 : typeof value === "object" ? value.length : BIGINT_BYTES);
  return length;
}

function partOf(rows: readonly (readonly BinaryValue[])[], length: number): Buffer {
  const part = Buffer.allocUnsafe(length);
  let at = 0;
  for (const row of rows) {
    at = part.writeInt16BE(row.length, at);
    for (const value of row) at = writeValue(part, at, value);
  }
  return part;
}

/** Returns the position after the value. */
function writeValue(part: Buffer, at: number, value: BinaryValue): number {
  if (value === null) return part.writeInt32BE(NULL_LENGTH, at);
  if (typeof value === "object") return part.writeInt32BE(value.length, at) + value.copy(part, at + LENGTH_BYTES);
  return part.writeBigInt64BE(BigInt(value), part.writeInt32BE(BIGINT_BYTES, at));
}
