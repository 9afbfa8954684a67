import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { statementsOf } from "../../test/support/database/statements.ts";
import { createFileSource } from "./file.ts";
import { importPrices } from "./import.ts";
import type { PriceRow, PriceSource } from "./source.ts";
import { parsePriceValue } from "./value.ts";

const HEADER = "asset,currency,timestamp,value";

const folder = mkdtempSync(join(tmpdir(), "moraine-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.pool.query("TRUNCATE prices"));
afterAll(() => database[Symbol.asyncDispose]());

function fileOf(extension: string, content: string | Buffer): PriceSource {
  const path = join(folder, `${randomBytes(6).toString("hex")}.${extension}`);
  writeFileSync(path, content);
  return createFileSource(path);
}

/** Imports a file into the database. */
const importFile = (extension: string, content: string | Buffer) =>
  importPrices(database.pool, fileOf(extension, content));
const importCsv = (...lines: string[]) => importFile("csv", [HEADER, ...lines].join("\n"));

/** Reads a file without a database; each row as one text. */
async function read(extension: string, content: string | Buffer): Promise<string[]> {
  const all: PriceRow[] = [];
  for await (const batch of fileOf(extension, content).batches()) all.push(...batch);
  return all.map(({ asset, currency, timestamp, value }) => `${asset} ${currency} ${timestamp} ${value}`);
}

const readCsv = (...lines: string[]) => read("csv", [HEADER, ...lines].join("\n"));
const readJson = (value: unknown) => read("json", typeof value === "string" ? value : JSON.stringify(value));

async function storedRows(): Promise<string[]> {
  const { rows: all } = await database.pool.query<{ row: string }>(
    `SELECT concat_ws(' ', asset, currency, timestamp, trim_scale(value)) AS row FROM prices
     ORDER BY asset COLLATE "C", currency, timestamp`,
  );
  return all.map(({ row }) => row);
}

describe("a CSV file of prices", () => {
  it("may have a byte order mark, CRLF, quoted fields, empty lines, and no newline at its end", async () => {
    const content = `\uFEFF${HEADER}\r\n"an ""odd"", one",usd,"1700000000",1.50\r\n\r\navalanche-2,eur,2023-11-14,0017\r\ncoin é😀,jpy,0,0`;
    const expected = ['an "odd", one usd 1700000000 1.5', "avalanche-2 eur 1699920000 17", "coin é😀 jpy 0 0"];
    expect(await importFile("csv", content)).toBe(3);
    expect(await storedRows()).toEqual(expected);
  });

  it.each([
    ["2023-11-14", "1699920000"],
    ["2023-11-14T22:13:20Z", "1700000000"],
    ["2023-11-14T22:13:20.999Z", "1700000000"],
    ["2023-11-14T23:43+01:30", "1699999980"],
    ["2024-02-29", "1709164800"],
    ["9999-12-31T23:59:59Z", "253402300799"],
  ])("may have the time %s, read as %s", async (written, seconds) => {
    expect(await readCsv(`a,usd,${written},1`)).toEqual([`a usd ${seconds} ${parsePriceValue("1")}`]);
  });

  it.each([
    ["1e-7", "0.0000001"],
    ["1.25E+3", "1250"],
    ["0.1234567890123456789012345678904", "0.12345678901234567890123456789"],
    ["0.1234567890123456789012345678905", "0.123456789012345678901234567891"],
    ["123456789012345678901234567890.5", "123456789012345678901234567890.5"],
    ["4e-31", "0"],
    ["5e-31", "0.000000000000000000000000000001"],
  ])("may have the value %s, stored as %s: exact, rounded half up to 30 digits", async (written, value) => {
    await importCsv(`a,usd,1,${written}`);
    expect(await storedRows()).toEqual([`a usd 1 ${value}`]);
  });

  it.each<[refused: string, content: string | Buffer, message: string]>([
    ["an empty file", "", `line 1: the header must be ${HEADER}, got nothing`],
    ["another header", "asset,currency,time,value\n", 'line 1: the header must be .*, got "asset,currency,time,value"'],
    ["no header", "a,usd,1,2\n", "line 1: the header must be"],
    ["UTF-16", Buffer.from(`${HEADER}\na,usd,1,2`, "utf16le"), "line 1: the header must be"],
    [
      "bytes that are not UTF-8",
      Buffer.from([...Buffer.from(`${HEADER}\na,usd,1,1\n`), 0xff, 0xfe]),
      "must be in UTF-8",
    ],
    ["a field too few", `${HEADER}\na,usd,1\n`, "line 2: a line must have 4 fields, got 3"],
    ["a field too many", `${HEADER}\na,usd,1,2,3\n`, "line 2: a line must have 4 fields, got 5"],
    ["an empty asset", `${HEADER}\n,usd,1,2\n`, "line 2: asset must be an id"],
    ["a line end in an asset", `${HEADER}\n"a\nb",usd,1,2\n`, "line 2: asset must be an id"],
    ["a zero byte", `${HEADER}\na\0b,usd,1,2\n`, "line 2: asset must be an id"],
    ["an upper-case currency", `${HEADER}\na,USD,1,2\n`, 'line 2: currency must be one of usd, .*nzd, got "USD"'],
    ["an unknown currency", `${HEADER}\na,btc,1,2\n`, "line 2: currency must be one of"],
    ["milliseconds", `${HEADER}\na,usd,1700000000000,2\n`, "line 2: timestamp must be seconds"],
    ["a time without zone", `${HEADER}\na,usd,2023-11-14T22:13:20,2\n`, "line 2: timestamp must be seconds"],
    ["an invalid zone", `${HEADER}\na,usd,2023-11-14T22:13:20+99:99,2\n`, "line 2: timestamp must be"],
    ["a zone of 24 hours", `${HEADER}\na,usd,2023-11-14T22:13:20-24:00,2\n`, "line 2: timestamp must be"],
    ["a 30th of February", `${HEADER}\na,usd,2024-02-30,2\n`, "line 2: timestamp must be seconds"],
    ["a negative time", `${HEADER}\na,usd,-1,2\n`, "line 2: timestamp must be seconds"],
    ["a time before the epoch", `${HEADER}\na,usd,0070-01-01,2\n`, "line 2: timestamp must be seconds"],
    ["a negative value", `${HEADER}\na,usd,1,-2\n`, "line 2: value must be a decimal number"],
    ["a value with a comma", `${HEADER}\na,usd,1,"1,5"\n`, 'line 2: value must be .*, got "1,5"'],
    ["a value that is not a number", `${HEADER}\na,usd,1,NaN\n`, "line 2: value must be a decimal number"],
    ["31 digits before the point", `${HEADER}\na,usd,1,1e30\n`, "line 2: value must be a decimal number"],
    ["a giant exponent", `${HEADER}\na,usd,1,1e999999999\n`, "line 2: value must be a decimal number"],
    ["an injection", `${HEADER}\na,usd,1,1);DROP TABLE prices\n`, "line 2: value must be a decimal number"],
    ["a quote within a field", `${HEADER}\na"b,usd,1,2\n`, "line 2: a quote may stand only around a whole field"],
    ["more after a quote", `${HEADER}\n"a"b,usd,1,2\n`, "line 2: a quoted field must be followed by a comma"],
    ["an open quote", `${HEADER}\na,usd,1,2\n"a,usd,1,2\n`, "line 3: a quote must be closed"],
    ["an endless field", `${HEADER}\n"${"a".repeat(9_999)}`, "line 2: a line must be of at most 4000 bytes"],
    ["a lone carriage return", `${HEADER}\na,usd,1,2\rb,usd,1,2\n`, "line 2: a line must have 4 fields, got 7"],
    [
      "a wrong line after a field of several lines and an empty line",
      `${HEADER}\n\n"a\nb",usd,1\n`,
      "line 3: a line must have 4 fields, got 3",
    ],
  ])("is refused because of %s", async (_, content, message) => {
    await expect(read("csv", content)).rejects.toThrow(new RegExp(message));
  });

  it("imports nothing if a line is wrong, even after several batches", async () => {
    const lines = Array.from({ length: 12_000 }, (_, at) => `a,usd,${at},1`);
    await expect(importCsv(...lines, "a,usd,x,1", "a,xxx,1,1")).rejects.toThrow("line 12002: timestamp must be");
    expect(await storedRows()).toEqual([]);
  });

  it("may be imported twice; of two rows for the same asset, currency and time the later is stored", async () => {
    await importCsv("a,usd,1,2", "a,usd,2,3", "a,usd,1,4");
    await importCsv("a,usd,1,4", "a,usd,2,5");
    expect(await storedRows()).toEqual(["a usd 1 4", "a usd 2 5"]);
  });

  it("is written in batches of 5,000", async () => {
    const statements = await statementsOf(() =>
      importCsv(...Array.from({ length: 12_000 }, (_, at) => `a,usd,${at},1`)),
    );
    expect(statements.filter((text) => text.startsWith("INSERT INTO prices"))).toHaveLength(3);
    expect(await storedRows()).toHaveLength(12_000);
  });
});

describe("a JSON file of prices", () => {
  it("may have numbers, which keep every digit", async () => {
    const rows =
      await readJson(`[{"asset":"a","currency":"usd","timestamp":1700000000,"value":12345678901234567.123456789012345678},
      {"value":"1e-18","timestamp":"2023-11-14","currency":"eur","asset":"\\u0061 \\"b\\": 1"}]`);
    expect(rows).toEqual([
      "a usd 1700000000 12345678901234567.123456789012345678",
      'a "b": 1 eur 1699920000 0.000000000000000001',
    ]);
  });

  const good = { asset: "a", currency: "usd", timestamp: 1, value: 1 };
  it.each<[refused: string, content: unknown, message: string]>([
    [
      "text that is not JSON",
      '[{"asset": "a",\n  }]',
      "the file must be JSON: line 2, column 3: the comma before this has nothing behind it",
    ],
    ["a cut file", '[{"asset": "a"', "the file must be JSON: line 1, column 2: this { is never closed"],
    ["an object", good, "the file must be an array of objects"],
    ["something else in the array", [good, 1], "item 2: must be an object"],
    ["null", [null], "item 1: must be an object"],
    ["a field too few", [{ ...good, value: undefined }], "item 1: value must be a string or a number"],
    [
      "a field too many",
      [{ ...good, price: 1 }],
      'item 1: must have only the fields asset,currency,timestamp,value, got also "price"',
    ],
    ["a number as asset", [{ ...good, asset: 1 }], "item 1: asset must be a string$"],
    ["null as value", [{ ...good, value: null }], "item 1: value must be a string or a number"],
    [
      "an object that looks like a number",
      [{ ...good, value: { text: "1", isNumber: true } }],
      "item 1: value must be a string or a number",
    ],
    [
      "a wrong value",
      '[\n{"asset":"a","currency":"usd","timestamp":1,"value":-1}]',
      '^item 1: line 2, column 53: value must be .*, got "-1"$',
    ],
    [
      "a fraction of a second",
      '[{"asset":"a","currency":"usd","timestamp":1.5,"value":1}]',
      "^item 1: line 1, column 44: timestamp must be",
    ],
  ])("is refused because of %s", async (_, content, message) => {
    await expect(readJson(content)).rejects.toThrow(new RegExp(message));
  });
});

describe("two imports at the same time", () => {
  it("that write the same prices in opposite orders both succeed", async () => {
    const path = join(folder, "order.csv");
    const lines = Array.from({ length: 12_000 }, (_, at) => `a,usd,${at},1`);
    writeFileSync(path, [HEADER, ...lines].join("\n"));
    const reversed = join(folder, "reversed.csv");
    writeFileSync(reversed, [HEADER, ...lines.toReversed().map((line) => `${line}0`)].join("\n"));
    const counts = await Promise.all(
      [path, reversed, path, reversed].map((one) => importPrices(database.pool, createFileSource(one))),
    );
    expect(counts).toEqual([12_000, 12_000, 12_000, 12_000]);
    expect(new Set((await storedRows()).map((row) => row.split(" ")[3])).size).toBe(1);
  });

  it("wait for each other until they are interrupted", async () => {
    const other = await database.pool.connect();
    await other.query("BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('moraine prices', 0))");
    const path = join(folder, "waits.csv");
    writeFileSync(path, `${HEADER}\na,usd,1,2\n`);
    const stop = new AbortController();
    const importing = importPrices(database.pool, createFileSource(path), stop.signal);
    stop.abort(new Error("enough"));
    await expect(importing).rejects.toThrow("enough");
    expect(await storedRows()).toEqual([]);
    await other.query("COMMIT");
    other.release();
    expect(await importPrices(database.pool, createFileSource(path))).toBe(1);
  });
});

describe("a file", () => {
  it("of too large JSON is refused", async () => {
    const large = join(folder, "large.json");
    writeFileSync(large, Buffer.alloc((1 << 25) + 1, " "));
    await expect(importPrices(database.pool, createFileSource(large))).rejects.toThrow(
      /large\.json must have at most 33554432 characters, because it is JSON; a CSV file may have any size$/,
    );
  });

  it("with another extension, or one that does not exist, is refused", async () => {
    expect(() => fileOf("txt", HEADER)).toThrow("a file of prices must be named .csv or .json");
    const missing = createFileSource(join(folder, "missing.csv"));
    await expect(importPrices(database.pool, missing)).rejects.toThrow(/missing\.csv cannot be read: .*ENOENT/);
  });
});
