import { createTestDatabase } from "../../test/support/database/database.ts";
import {
  type BinaryColumns,
  type BinaryRow,
  type BinaryType,
  binaryCopy,
  binaryCopyOf,
  binaryRows,
} from "./binary-rows.ts";
import { csvRows } from "./csv-rows.ts";
import { tryBecomeWriter, type Writer } from "./writer.ts";

const LONG = "0123456789abcdef".repeat(2_000);
const COLUMNS = {
  id: "integer",
  big: "bigint",
  small: "smallint",
  number: "numeric",
  bytes: "bytea",
  name: "text",
  flag: "boolean",
} as const satisfies BinaryColumns;
const NOTHING: BinaryRow = [null, null, null, null, null, null];

/** Stores rows of `COLUMNS` with COPY in the binary format, and returns them in PostgreSQL's text forms. */
async function stored(rows: readonly BinaryRow[]): Promise<unknown[][]> {
  await using database = await createTestDatabase();
  const columns = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
  await database.pool.query(`CREATE TABLE kept (${columns.join(", ")})`);
  await using writer = (await tryBecomeWriter(database.url, "test")) as Writer;
  await writer.transaction((session) => session.copyEncoded([binaryCopy("kept", COLUMNS, rows)]));
  const texts = Object.keys(COLUMNS).map((name) => `${name}::text`);
  const text = `SELECT ${texts.join(", ")} FROM kept ORDER BY kept.id`;
  return (await database.pool.query({ text, rowMode: "array" })).rows;
}

describe("rows in the binary format of COPY", () => {
  it("have integers up to the limits of their columns", async () => {
    const rows = [
      [1, 0, 0, 0],
      [2, -1, -1, 1],
      [3, (1n << 63n) - 1n, 32_767, 2],
      [4, -(1n << 63n), -32_768, 3],
      [5, "9223372036854775807", "12", 4],
      [6, 2 ** 53 - 1, 1, 5],
      [7, -(2 ** 53 - 1), 1, 6],
      [8, 2 ** 32, 1, 7],
      [9, -(2 ** 32) - 1, 1, 8],
      [2 ** 31 - 1, "-7", "-7", 9],
    ];
    expect(await stored(rows.map((row) => [...row, null, null, null]))).toEqual(
      rows.map((row) => [...row.map(String), null, null, null]),
    );
  });

  it("have numbers of any size", async () => {
    const powers = Array.from({ length: 78 }, (_, i) => 10n ** BigInt(i));
    const numbers = [
      ...powers.flatMap((power) => [power - 1n, power, power + 1n, -power, 7n * power]),
      ...powers.slice(0, 16).flatMap((power) => [Number(power) - 1, Number(power), Number(power) + 1]),
      (1n << 256n) - 1n,
      2 ** 53 - 1,
      -5,
      "0",
      "123456789012345678901234567890",
    ];
    const rows = numbers.map((number, i): BinaryRow => [i, null, null, number, null, null, null]);
    expect((await stored(rows)).map(([, , , number]) => number)).toEqual(numbers.map(String));
  });

  it("have bytes as they are or as hex, texts, booleans and NULL", async () => {
    const bytes = [...Array.from({ length: 70 }, (_, size) => LONG.slice(0, 2 * size)), LONG];
    const rows = bytes.map((hex, i): BinaryRow => [i, null, null, null, hex, `name ${i}`, i % 2 === 0]);
    const asBytes = rows.map((row, i) => row.with(4, Buffer.from(bytes[i] as string, "hex")));
    const expected = bytes.map((hex, i) => [
      String(i),
      null,
      null,
      null,
      `\\x${hex}`,
      `name ${i}`,
      String(i % 2 === 0),
    ]);
    expect(await stored(rows)).toEqual(expected);
    expect(await stored(asBytes)).toEqual(expected);
    expect(await stored([[1, ...NOTHING]])).toEqual([["1", ...NOTHING]]);
    expect(await stored([])).toEqual([]);
  });

  it("are copied in several parts, and together with rows in another format", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE TABLE kept (id bigint)");
    await using writer = (await tryBecomeWriter(database.url, "test")) as Writer;
    const columns: BinaryColumns = { id: "bigint" };
    const parts = [0, 1, 2].map((i) => binaryRows(columns, [[3 * i], [3 * i + 1], [3 * i + 2]]));
    const csv = { table: "kept", columns: ["id"], parts: [csvRows([["9"]])] };
    await writer.transaction((session) =>
      session.copyEncoded([binaryCopyOf("kept", columns, parts), csv, binaryCopy("kept", columns, [[10]])]),
    );
    const { rows } = await database.pool.query<{ id: string }>("SELECT id FROM kept ORDER BY id");
    expect(rows.map(({ id }) => Number(id))).toEqual(Array.from({ length: 11 }, (_, i) => i));
  });

  it.each<[string, BinaryType, BinaryRow[number]]>([
    ["an integer", "integer", 2 ** 31],
    ["a negative integer", "integer", -(2 ** 31) - 1],
    ["a small integer", "smallint", 32_768],
    ["a large integer", "bigint", 1n << 63n],
    ["a large integer as text", "bigint", String(-(1n << 63n) - 1n)],
  ])("refuse %s that does not fit its column", (_, type, value) => {
    expect(() => binaryRows({ column: type }, [[value]])).toThrow(RangeError);
  });

  it.each([`${"ab".repeat(30)}zz`, `zz${"ab".repeat(30)}`, "0g", "g0", ":0", "é0", "AB", "abc", "abc".repeat(11)])(
    "refuse the bytes %s, which are not hex",
    (text) => {
      expect(() => binaryRows({ column: "bytea" }, [[text]])).toThrow(RangeError);
    },
  );
});
