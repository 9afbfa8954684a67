import { createReadStream } from "node:fs";
import { extname } from "node:path";
import { messageOf, quoted } from "../../core/errors.ts";
import { isJsonText, isObject, parseJsonTexts } from "../shared/number-text.ts";
import { type CsvRecord, createCsvReader, refusedAt } from "./csv.ts";
import { FIELDS, parseField } from "./fields.ts";
import { type PriceRow, type PriceSource, PriceSourceFailed } from "./source.ts";

const BATCH_ROWS = 5_000;
/** JSON is held as a whole, in many times its size. */
const MOST_JSON_CHARACTERS = 1 << 25;

/** Fields that JSON may also give as numbers. */
const NUMBERS: ReadonlySet<string> = new Set(["timestamp", "value"]);

/** A file of prices: CSV with a header, or JSON of an array of objects, by its name's ending. The first wrong line ends it. */
export function createFileSource(path: string): PriceSource {
  const extension = extname(path).toLowerCase();
  if (extension === ".csv") return { batches: () => inBatches(csvRows(path)) };
  if (extension === ".json") return { batches: () => inBatches(jsonRows(path)) };
  throw new PriceSourceFailed(`a file of prices must be named .csv or .json, got ${quoted(path)}`);
}

async function* inBatches(rows: AsyncIterable<PriceRow>): AsyncGenerator<readonly PriceRow[]> {
  let batch: PriceRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* csvRows(path: string): AsyncGenerator<PriceRow> {
  let isHeader = true;
  for await (const record of csvRecords(path)) {
    if (!isHeader) yield rowOfRecord(record);
    else checkHeader(record);
    isHeader = false;
  }
  if (isHeader) throw refusedAt({ line: 1, column: 1 }, `the header must be ${HEADER}, got nothing`);
}

async function* csvRecords(path: string): AsyncGenerator<CsvRecord> {
  const reader = createCsvReader();
  for await (const text of textOf(path)) yield* reader.push(text);
  yield* reader.end();
}

/** The file's text in pieces, without a byte order mark. */
async function* textOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      throw new PriceSourceFailed(`${path} must be in UTF-8`);
    }
  };
  try {
    for await (const bytes of createReadStream(path)) yield decode(bytes as Uint8Array);
  } catch (error) {
    throw error instanceof PriceSourceFailed ? error : unreadable(path, error);
  }
  yield decode();
}

const unreadable = (path: string, error: unknown) =>
  new PriceSourceFailed(`${path} cannot be read: ${messageOf(error)}`);

const HEADER = FIELDS.map(({ name }) => name).join(",");

function checkHeader(record: CsvRecord): void {
  const header = record.map(({ text }) => text).join(",");
  if (header !== HEADER) throw refusedAt({ line: 1, column: 1 }, `the header must be ${HEADER}, got ${quoted(header)}`);
}

function rowOfRecord(record: CsvRecord): PriceRow {
  const place = record[FIELDS.length] ?? record.at(-1) ?? { line: 1, column: 1 };
  if (record.length !== FIELDS.length)
    throw refusedAt(place, `a line must have ${FIELDS.length} fields, got ${record.length}`);
  const values = FIELDS.map((field, at) => {
    const found = record[at] as CsvRecord[number];
    return [field.name, parseField(field, found.text, (why) => refusedAt(found, why))];
  });
  return Object.fromEntries(values) as PriceRow;
}

async function* jsonRows(path: string): AsyncGenerator<PriceRow> {
  let json = "";
  for await (const text of textOf(path)) {
    json += text;
    if (json.length > MOST_JSON_CHARACTERS)
      throw new PriceSourceFailed(
        `${path} must have at most ${MOST_JSON_CHARACTERS} characters, as it is JSON: CSV may be of any size`,
      );
  }
  const items = parsedArray(json);
  for (const [at, item] of items.entries()) yield rowOfItem(json, item, at);
}

function parsedArray(json: string): readonly unknown[] {
  let parsed: unknown;
  try {
    parsed = parseJsonTexts(json);
  } catch (error) {
    const [, offset = String(json.length)] = /position (\d+)/.exec(messageOf(error)) ?? [];
    throw refusedAt(placeAt(json, Number(offset)), "the file must be JSON");
  }
  if (!Array.isArray(parsed)) throw refusedAt({ line: 1, column: 1 }, "the file must be an array of objects");
  return parsed;
}

function rowOfItem(json: string, item: unknown, at: number): PriceRow {
  const refuseItem = (why: string) => new PriceSourceFailed(`item ${at + 1}: ${why}`);
  if (!isObject(item)) throw refuseItem("must be an object");
  const unknown = Object.keys(item).find((key) => !FIELDS.some(({ name }) => name === key));
  if (unknown !== undefined) throw refuseItem(`must have ${HEADER} and nothing else, got also ${quoted(unknown)}`);
  const values = FIELDS.map((field) => {
    const found = item[field.name];
    if (!isJsonText(found) || (found.isNumber && !NUMBERS.has(field.name)))
      throw refuseItem(`${field.name} must be a string${NUMBERS.has(field.name) ? " or a number" : ""}`);
    return [
      field.name,
      parseField(field, found.text, (why) => refuseItem(refusedAt(placeAt(json, found.offset), why).message)),
    ];
  });
  return Object.fromEntries(values) as PriceRow;
}

/** Line and column, both from 1, of an offset. */
function placeAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: [...(before.at(-1) ?? "")].length + 1 };
}
