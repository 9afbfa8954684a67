import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, type Options, parse } from "csv-parse";
import { quoted } from "../../core/errors/errors.ts";
import { FIELDS, HEADER, parseField } from "./fields.ts";
import { type PriceRow, PriceSourceFailed } from "./source.ts";
import { readText } from "./text-file.ts";

/** Longer than any valid line. Limits the memory for a field whose quote is not closed. */
const MAX_LINE_BYTES = 4_000;
const OPTIONS: Options = {
  record_delimiter: ["\n", "\r\n"],
  relax_column_count: true,
  skip_empty_lines: true,
  max_record_size: MAX_LINE_BYTES,
};

/** The rule that a line breaks, by the code of csv-parse's error. */
const RULES: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE: "a quote may stand only around a whole field",
  CSV_INVALID_CLOSING_QUOTE: "a quoted field must be followed by a comma",
  CSV_QUOTE_NOT_CLOSED: "a quote must be closed",
  CSV_MAX_RECORD_SIZE: `a line must be of at most ${MAX_LINE_BYTES} bytes`,
};

/**
 * The prices of a CSV file, whose first line must be the header. Throws `PriceSourceFailed` that names the first wrong line.
 */
export async function* readCsv(path: string): AsyncGenerator<PriceRow> {
  let lastLine = 0;
  const parser = parse({
    ...OPTIONS,
    // Called in order while the file is parsed, so that the first wrong line is the one that is reported.
    on_record(record: readonly string[], { lines }) {
      const isHeader = lastLine === 0;
      lastLine = lines;
      if (!isHeader) return parseValues(record, firstLineOf(record, lines));
      requireHeader(record);
      return null;
    },
  });
  // A failure also ends the iteration of the parser, which throws it.
  pipeline(Readable.from(readText(path)), parser).catch(() => {});
  try {
    for await (const values of parser) yield rowOf(values as string[]);
  } catch (error) {
    const rule = error instanceof CsvError ? RULES[error.code] : undefined;
    throw rule === undefined ? error : refusedLine(lastLine + 1, rule);
  }
  if (lastLine === 0) throw refusedLine(1, `the header must be ${HEADER}, got nothing`);
}

/** The first line of a record that ends at `lastLine`; quoted fields may span several lines. */
function firstLineOf(record: readonly string[], lastLine: number): number {
  return lastLine - record.join("").split(/\r\n?|\n/).length + 1;
}

function requireHeader(record: readonly string[]): void {
  const header = record.join(",");
  if (header !== HEADER) throw refusedLine(1, `the header must be ${HEADER}, got ${quoted(header)}`);
}

/** The values of a record as the table accepts them, in the order of `FIELDS`. */
function parseValues(record: readonly string[], line: number): string[] {
  if (record.length !== FIELDS.length)
    throw refusedLine(line, `a line must have ${FIELDS.length} fields, got ${record.length}`);
  return FIELDS.map((field, at) => parseField(field, record[at] as string, (why) => refusedLine(line, why)));
}

function rowOf(values: readonly string[]): PriceRow {
  return Object.fromEntries(FIELDS.map(({ name }, at) => [name, values[at]])) as unknown as PriceRow;
}

const refusedLine = (line: number, why: string): PriceSourceFailed => new PriceSourceFailed(`line ${line}: ${why}`);
