import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { stringify } from "csv-stringify/sync";
import { mapYielding } from "../../core/async/yield-to-event-loop.ts";
import type { ExportFileForm } from "../../core/database/operations.ts";

const compress = promisify(gzip);

/** Rows that are encoded at once. Fewer would not yield to the event loop more often; more would block it for longer. */
const SLICE_ROWS = 100;

/** Turns rows into the bytes of a part. */
export interface PartEncoder {
  /** Rows since the last `take`. */
  readonly rows: number;
  /** Bytes of these rows as CSV. */
  readonly bytes: number;
  /** Adds what a file begins with: the byte order mark, if the file has one, and the names of the columns. */
  begin(names: readonly string[]): Promise<void>;
  add(rows: readonly (readonly string[])[]): Promise<void>;
  /** The bytes of all rows since the last call: CSV, or a gzip member of it. Members one after the other are a gzip file. */
  take(): Promise<Uint8Array>;
}

/**
 * RFC 4180: lines end with CRLF. The library puts an apostrophe before text that a spreadsheet would take for a formula. By
 * default the library quotes CRLF only; single CR and LF must be quoted too.
 */
const CSV = { record_delimiter: "\r\n", eof: true, escape_formulas: true, quoted_match: /[\r\n]/ } as const;

/** The bytes of all parts are written into one buffer, which grows: a buffer for each slice would have to be garbage-collected. */
const INITIAL_BYTES = 1 << 20;

const BYTE_ORDER_MARK = "\ufeff";

export function createPartEncoder({ compression, byteOrderMark }: ExportFileForm): PartEncoder {
  let buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  let count = 0;
  let bytes = 0;
  const write = (text: string) => {
    const length = Buffer.byteLength(text);
    if (bytes + length > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, bytes + length));
      buffer.copy(larger, 0, 0, bytes);
      buffer = larger;
    }
    bytes += buffer.write(text, bytes);
  };
  const add: PartEncoder["add"] = async (rows) => {
    const slices = Array.from({ length: Math.ceil(rows.length / SLICE_ROWS) }, (_, i) =>
      rows.slice(i * SLICE_ROWS, (i + 1) * SLICE_ROWS),
    );
    await mapYielding(slices, (slice) => write(encode(slice)));
    count += rows.length;
  };
  return {
    get rows() {
      return count;
    },
    get bytes() {
      return bytes;
    },
    async begin(names) {
      if (byteOrderMark) write(BYTE_ORDER_MARK);
      await add([names]);
    },
    add,
    async take() {
      const csv = buffer.subarray(0, bytes);
      const part = compression === "GZIP" ? await compress(csv) : Buffer.from(csv);
      count = 0;
      bytes = 0;
      return part;
    },
  };
}

/** What separates cells for a spreadsheet whose settings have another separator than the comma, or for a program that ignores quotes. */
const SEPARATOR = /[;\t\r\n]/;
/** Such a separator before the beginning of a formula. Spreadsheets skip the quotes of a cell, and some skip spaces. */
const BEFORE_FORMULA = /[;\t\r\n](?=["' ]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** Puts an apostrophe before each part of a cell that a spreadsheet could take for a cell of its own with a formula. */
function withoutInnerFormulas(cell: string): string {
  return SEPARATOR.test(cell) ? cell.replace(BEFORE_FORMULA, "$&'") : cell;
}

function encode(rows: readonly (readonly string[])[]): string {
  return stringify(
    rows.map((cells) => cells.map(withoutInnerFormulas)),
    CSV,
  );
}
