import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { BadUpstreamData, messageOf } from "../../core/errors/errors.ts";
import { type BinaryColumns, binaryRows, type Integer } from "../shared/binary-rows.ts";
import { BINARY_END, BINARY_START } from "../shared/copy-query.ts";

/** Payloads are compressed already. A higher level saves less than a hundredth. */
const LEVEL = 1;
const LENGTH_BYTES = 4;
const COLUMN_COUNT_BYTES = 2;

const compress = promisify(gzip);
const decompress = promisify(gunzip);
/** Much larger than a file that `moraine backup` writes, so that no file can exhaust the memory. */
const MAX_BYTES = 1 << 29;

/** Some rows of a file, compressed in another thread. The first column is the same for all rows. */
export const packPart = (columns: BinaryColumns, partition: Integer, rows: readonly object[]): Promise<Buffer> =>
  compress(binaryRows(columns, partition, rows), { level: LEVEL });

/**
 * A file of such parts: the binary format of COPY in gzip, which may consist of any number of members. `COPY … FROM PROGRAM 'gunzip -c …'
 * (FORMAT binary)` reads it.
 */
export async function packFile(parts: readonly Promise<Buffer>[]): Promise<Buffer> {
  const [start, end] = [compress(BINARY_START), compress(BINARY_END)];
  return Buffer.concat(await Promise.all([start, ...parts, end]));
}

/** The rows of a file of `packFile`, without their first column. Throws `BadUpstreamData` if the file does not have such rows. */
export async function unpackRows<Row>(columns: BinaryColumns, packed: Buffer): Promise<Row[]> {
  const bytes = await decompress(packed, { maxOutputLength: MAX_BYTES }).catch((error: unknown) => {
    throw new BadUpstreamData(`the file cannot be unpacked: ${messageOf(error)}`);
  });
  if (!bytes.subarray(0, BINARY_START.length).equals(BINARY_START))
    throw new BadUpstreamData("the file is not in the binary format of COPY");
  try {
    return parseRows<Row>(columns, bytes);
  } catch (error) {
    if (error instanceof RangeError) throw new BadUpstreamData("the file ends within a row");
    throw error;
  }
}

function parseRows<Row>(columns: BinaryColumns, bytes: Buffer): Row[] {
  const types = Object.entries(columns).map(([name, type]) => [name, type.replace("?", "")] as const);
  const rows: Row[] = [];
  let at = BINARY_START.length;
  for (;;) {
    const count = bytes.readInt16BE(at);
    at += COLUMN_COUNT_BYTES;
    if (count === -1) return rows;
    if (count !== types.length)
      throw new BadUpstreamData(`a row of the file has ${count} columns, not ${types.length}`);
    const row: Record<string, unknown> = {};
    for (const [i, [name, type]] of types.entries()) {
      const length = bytes.readInt32BE(at);
      at += LENGTH_BYTES;
      const end = at + Math.max(0, length);
      if (end > bytes.length) throw new RangeError();
      if (i > 0) row[name] = length < 0 ? null : parseValue(type, bytes.subarray(at, end));
      at = end;
    }
    rows.push(row as Row);
  }
}

function parseValue(type: string, value: Buffer): unknown {
  if (type === "bigint") return Number(value.readBigInt64BE());
  if (type === "boolean") return value[0] === 1;
  return type === "text" ? value.toString() : value;
}
