import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { stringify } from "csv-stringify/sync";
import type { Compression } from "../../core/operations.ts";
import { mapYielding } from "../../core/yield-to-event-loop.ts";

const compress = promisify(gzip);

/** Rows that are encoded at once. Fewer would not yield to the event loop more often; more would block it for longer. */
const SLICE_ROWS = 100;

/** Turns rows into the bytes of a part. */
export interface PartEncoder {
  /** Rows since the last `take`. */
  readonly rows: number;
  add(rows: readonly (readonly string[])[]): Promise<void>;
  /** The bytes of all rows since the last call: CSV, or a gzip member of it. Members one after the other are a gzip file. */
  take(): Promise<Uint8Array>;
}

/** RFC 4180: lines end with CRLF. The library puts an apostrophe before text that a spreadsheet would take for a formula. */
const CSV = { record_delimiter: "\r\n", eof: true, escape_formulas: true } as const;

export function createPartEncoder(compression: Compression): PartEncoder {
  let slices: Buffer[] = [];
  let count = 0;
  return {
    get rows() {
      return count;
    },
    async add(rows) {
      const parts = Array.from({ length: Math.ceil(rows.length / SLICE_ROWS) }, (_, i) =>
        rows.slice(i * SLICE_ROWS, (i + 1) * SLICE_ROWS),
      );
      slices.push(...(await mapYielding(parts, encode)));
      count += rows.length;
    },
    async take() {
      const csv = Buffer.concat(slices);
      slices = [];
      count = 0;
      return compression === "GZIP" ? compress(csv) : csv;
    },
  };
}

function encode(rows: readonly (readonly string[])[]): Buffer {
  return Buffer.from(stringify(rows as string[][], CSV)); // the library does not change its argument
}
