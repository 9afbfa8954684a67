import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { statementsOf } from "../../test/support/database/statements.ts";
import { createFileSource } from "./file.ts";
import { importPrices } from "./import.ts";

const HEADER = "asset,currency,timestamp,value";

const folder = mkdtempSync(join(tmpdir(), "moraine-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

async function imported(extension: string, content: string | Buffer): Promise<number> {
  const path = join(folder, `${randomBytes(6).toString("hex")}.${extension}`);
  writeFileSync(path, content);
  return importPrices(database.pool, createFileSource(path));
}

const csv = (...lines: string[]) => imported("csv", [HEADER, ...lines].join("\n"));
const json = (value: unknown) => imported("json", typeof value === "string" ? value : JSON.stringify(value));

async function rows(): Promise<string[]> {
  const { rows: all } = await database.pool.query<{ row: string }>(
    `SELECT concat_ws(' ', asset, currency, timestamp, trim_scale(value)) AS row FROM prices
     ORDER BY asset COLLATE "C", currency, timestamp`,
  );
  return all.map(({ row }) => row);
}

describe("a CSV file of prices", () => {
  it("is read with a byte order mark, CRLF, quoted fields, empty lines and no line end at its end", async () => {
    const count = await imported(
      "csv",
      `\uFEFF${HEADER}\r\n"an ""odd"", one",usd,"1700000000",1.50\r\n\r\navalanche-2,eur,2023-11-14,0017\r\ncoin é😀,jpy,0,0`,
    );
    expect(count).toBe(3);
    expect(await rows()).toEqual([
      'an "odd", one usd 1700000000 1.5',
      "avalanche-2 eur 1699920000 17",
      "coin é😀 jpy 0 0",
    ]);
  });

  it.each([
    ["2023-11-14", "1699920000"],
    ["2023-11-14T22:13:20Z", "1700000000"],
    ["2023-11-14T22:13:20.999Z", "1700000000"],
    ["2023-11-14T23:43+01:30", "1699999980"],
    ["2024-02-29", "1709164800"],
    ["9999-12-31T23:59:59Z", "253402300799"],
  ])("takes the time %s as %s", async (written, seconds) => {
    await csv(`a,usd,${written},1`);
    expect(await rows()).toEqual([`a usd ${seconds} 1`]);
  });

  it.each([
    ["1e-7", "0.0000001"],
    ["1.25E+3", "1250"],
    ["0.1234567890123456789012345678904", "0.12345678901234567890123456789"],
    ["0.1234567890123456789012345678905", "0.123456789012345678901234567891"],
    ["123456789012345678901234567890.5", "123456789012345678901234567890.5"],
    ["4e-31", "0"],
    ["5e-31", "0.000000000000000000000000000001"],
  ])("takes the value %s as %s: no float, 30 digits after the point, half up", async (written, value) => {
    await csv(`a,usd,1,${written}`);
    expect(await rows()).toEqual([`a usd 1 ${value}`]);
  });

  it.each<[refused: string, content: string | Buffer, says: string]>([
    ["an empty file", "", `line 1, column 1: the header must be ${HEADER}, got nothing`],
    [
      "another header",
      "asset,currency,time,value\n",
      'line 1, column 1: the header must be .*, got "asset,currency,time,value"',
    ],
    ["no header", "a,usd,1,2\n", "line 1, column 1: the header must be"],
    ["UTF-16", Buffer.from(`${HEADER}\na,usd,1,2`, "utf16le"), "line 1, column 1: the header must be"],
    ["no UTF-8", Buffer.from([...Buffer.from(`${HEADER}\na,usd,1,1\n`), 0xff, 0xfe]), "must be in UTF-8"],
    ["a field too few", `${HEADER}\na,usd,1\n`, "line 2, column 7: a line must have 4 fields, got 3"],
    ["a field too many", `${HEADER}\na,usd,1,2,3\n`, "line 2, column 11: a line must have 4 fields, got 5"],
    ["an empty asset", `${HEADER}\n,usd,1,2\n`, "line 2, column 1: asset must be an id"],
    ["a line end in an asset", `${HEADER}\n"a\nb",usd,1,2\n`, "line 2, column 1: asset must be an id"],
    ["a zero byte", `${HEADER}\na\0b,usd,1,2\n`, "line 2, column 1: asset must be an id"],
    [
      "an upper-case currency",
      `${HEADER}\na,USD,1,2\n`,
      'line 2, column 3: currency must be one of usd, .*nzd, got "USD"',
    ],
    ["an unknown currency", `${HEADER}\na,btc,1,2\n`, "line 2, column 3: currency must be one of"],
    ["milliseconds", `${HEADER}\na,usd,1700000000000,2\n`, "line 2, column 7: timestamp must be seconds"],
    ["a time without zone", `${HEADER}\na,usd,2023-11-14T22:13:20,2\n`, "line 2, column 7: timestamp must be seconds"],
    ["a zone that is none", `${HEADER}\na,usd,2023-11-14T22:13:20+99:99,2\n`, "line 2, column 7: timestamp must be"],
    ["a zone of 24 hours", `${HEADER}\na,usd,2023-11-14T22:13:20-24:00,2\n`, "line 2, column 7: timestamp must be"],
    ["a 30th of February", `${HEADER}\na,usd,2024-02-30,2\n`, "line 2, column 7: timestamp must be seconds"],
    ["a negative time", `${HEADER}\na,usd,-1,2\n`, "line 2, column 7: timestamp must be seconds"],
    ["a time before the epoch", `${HEADER}\na,usd,0070-01-01,2\n`, "line 2, column 7: timestamp must be seconds"],
    ["a negative value", `${HEADER}\na,usd,1,-2\n`, "line 2, column 9: value must be a decimal number"],
    ["a value with a comma", `${HEADER}\na,usd,1,"1,5"\n`, 'line 2, column 9: value must be .*, got "1,5"'],
    ["no number", `${HEADER}\na,usd,1,NaN\n`, "line 2, column 9: value must be a decimal number"],
    ["31 digits before the point", `${HEADER}\na,usd,1,1e30\n`, "line 2, column 9: value must be a decimal number"],
    ["a giant exponent", `${HEADER}\na,usd,1,1e999999999\n`, "line 2, column 9: value must be a decimal number"],
    ["an injection", `${HEADER}\na,usd,1,1);DROP TABLE prices\n`, "line 2, column 9: value must be a decimal number"],
    [
      "a quote within a field",
      `${HEADER}\na"b,usd,1,2\n`,
      "line 2, column 2: a quote may stand only around a whole field",
    ],
    ["more after a quote", `${HEADER}\n"a"b,usd,1,2\n`, "line 2, column 4: a quoted field must be followed by a comma"],
    ["an open quote", `${HEADER}\na,usd,1,2\n"a,usd,1,2\n`, "line 3, column 1: a quote must be closed"],
    [
      "an endless field",
      `${HEADER}\n"${"a".repeat(9_999)}`,
      "line 2, column 1: a field must be of at most 1000 characters",
    ],
    [
      "a lone carriage return",
      `${HEADER}\na,usd,1,2\rb,usd,1,2\n`,
      "line 2, column 11: a carriage return must end a line",
    ],
  ])("is refused for %s", async (_, content, says) => {
    await expect(imported("csv", content)).rejects.toThrow(new RegExp(says));
    expect(await rows()).toEqual([]);
  });

  it("ends at the first wrong line and leaves nothing of those before it, in earlier batches too", async () => {
    const lines = Array.from({ length: 12_000 }, (_, at) => `a,usd,${at},1`);
    await expect(csv(...lines, "a,usd,x,1", "a,xxx,1,1")).rejects.toThrow("line 12002, column 7: timestamp must be");
    expect(await rows()).toEqual([]);
  });

  it("may be brought in twice; the later of two for the same asset, currency and time counts", async () => {
    await csv("a,usd,1,2", "a,usd,2,3", "a,usd,1,4");
    await csv("a,usd,1,4", "a,usd,2,5");
    expect(await rows()).toEqual(["a usd 1 4", "a usd 2 5"]);
  });

  it("is written in batches of 5,000", async () => {
    const statements = await statementsOf(() => csv(...Array.from({ length: 12_000 }, (_, at) => `a,usd,${at},1`)));
    expect(statements.filter((text) => text.startsWith("INSERT INTO prices"))).toHaveLength(3);
    expect(await rows()).toHaveLength(12_000);
  });
});

describe("a JSON file of prices", () => {
  it("may hold numbers, of which no digit is lost", async () => {
    await json(`[{"asset":"a","currency":"usd","timestamp":1700000000,"value":12345678901234567.123456789012345678},
      {"value":"1e-18","timestamp":"2023-11-14","currency":"eur","asset":"\\u0061 \\"b\\": 1"}]`);
    expect(await rows()).toEqual([
      "a usd 1700000000 12345678901234567.123456789012345678",
      'a "b": 1 eur 1699920000 0.000000000000000001',
    ]);
  });

  const good = { asset: "a", currency: "usd", timestamp: 1, value: 1 };
  it.each<[refused: string, content: unknown, says: string]>([
    ["no JSON", '[{"asset": "a",\n  }]', "line 2, column 3: the file must be JSON"],
    ["a cut file", '[{"asset": "a"', "line 1, column 15: the file must be JSON"],
    ["an object", good, "the file must be an array of objects"],
    ["something else in the array", [good, 1], "item 2: must be an object"],
    ["null", [null], "item 1: must be an object"],
    ["a field too few", [{ ...good, value: undefined }], "item 1: value must be a string or a number"],
    [
      "a field too many",
      [{ ...good, price: 1 }],
      'item 1: must have asset,currency,timestamp,value and nothing else, got also "price"',
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
  ])("is refused for %s", async (_, content, says) => {
    await expect(json(content)).rejects.toThrow(new RegExp(says));
    expect(await rows()).toEqual([]);
  });
});

describe("two imports at the same time", () => {
  it("that write the same prices in another order both end", async () => {
    const path = join(folder, "order.csv");
    const lines = Array.from({ length: 12_000 }, (_, at) => `a,usd,${at},1`);
    writeFileSync(path, [HEADER, ...lines].join("\n"));
    const reversed = join(folder, "reversed.csv");
    writeFileSync(reversed, [HEADER, ...lines.toReversed().map((line) => `${line}0`)].join("\n"));
    const counts = await Promise.all(
      [path, reversed, path, reversed].map((one) => importPrices(database.pool, createFileSource(one))),
    );
    expect(counts).toEqual([12_000, 12_000, 12_000, 12_000]);
    expect(new Set((await rows()).map((row) => row.split(" ")[3])).size).toBe(1);
  });

  it("wait for each other until they are broken off", async () => {
    const other = await database.pool.connect();
    await other.query("BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('moraine prices', 0))");
    const path = join(folder, "waits.csv");
    writeFileSync(path, `${HEADER}\na,usd,1,2\n`);
    const stop = new AbortController();
    const importing = importPrices(database.pool, createFileSource(path), stop.signal);
    stop.abort(new Error("enough"));
    await expect(importing).rejects.toThrow("enough");
    expect(await rows()).toEqual([]);
    await other.query("COMMIT");
    other.release();
    expect(await importPrices(database.pool, createFileSource(path))).toBe(1);
  });
});

describe("a file", () => {
  it("of JSON that is too large to be held is refused", async () => {
    const large = join(folder, "large.json");
    writeFileSync(large, Buffer.alloc((1 << 25) + 1, " "));
    await expect(importPrices(database.pool, createFileSource(large))).rejects.toThrow(
      /large\.json must have at most 33554432 characters, as it is JSON: CSV may be of any size$/,
    );
  });

  it("of another kind is refused, and one that is not there", async () => {
    await expect(imported("txt", HEADER)).rejects.toThrow("a file of prices must be named .csv or .json");
    const missing = createFileSource(join(folder, "missing.csv"));
    await expect(importPrices(database.pool, missing)).rejects.toThrow(/missing\.csv cannot be read: .*ENOENT/);
  });
});
