import { createTestDatabase } from "../../test/support/database/database.ts";
import { type BinaryColumns, binaryRows, UnfitValue } from "./binary-rows.ts";
import { tryBecomeWriter, type Writer } from "./writer.ts";

const LONG = "0123456789abcdef".repeat(2_000);
const COLUMNS = {
  chain: "bigint",
  id: "integer",
  big: "bigint?",
  small: "smallint?",
  number: "numeric?",
  bytes: "bytea?",
  name: "text?",
  flag: "boolean?",
  hashes: "bytea[]",
  amounts: "numeric[]",
} as const satisfies BinaryColumns;

type Row = Partial<Record<keyof typeof COLUMNS, unknown>>;

/** A row with NULL, or an empty array, in each column that is not given. */
const rowOf = (values: Row): Row => ({
  id: 0,
  big: null,
  small: null,
  number: null,
  bytes: null,
  name: null,
  flag: null,
  hashes: [],
  amounts: [],
  ...values,
});

/** Stores rows of `COLUMNS` with COPY in the binary format, and returns them in PostgreSQL's text forms. */
async function stored(rows: readonly Row[], chain: number | string = 7): Promise<Record<string, string | null>[]> {
  await using database = await createTestDatabase();
  const columns = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type.replace("?", "")}`);
  await database.pool.query(`CREATE TABLE kept (${columns.join(", ")})`);
  await using writer = (await tryBecomeWriter(database.url, "test")) as Writer;
  const parts = [binaryRows(COLUMNS, chain, rows.map(rowOf))];
  await writer.transaction((session) => session.copy([{ table: "kept", columns: Object.keys(COLUMNS), parts }]));
  const texts = Object.keys(COLUMNS).map((name) => `${name}::text`);
  return (await database.pool.query(`SELECT ${texts.join(", ")} FROM kept ORDER BY kept.id`)).rows;
}

describe("rows in the binary format of COPY", () => {
  it("have integers up to the limits of their columns", async () => {
    const values = [
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
    const rows = await stored(values.map(([id, big, small, number]) => ({ id, big, small, number })));
    expect(rows.map(({ id, big, small, number }) => [id, big, small, number])).toEqual(
      values.map((row) => row.map(String)),
    );
  });

  it("have the chain in their first column", async () => {
    for (const chain of [7, "43114", "9223372036854775807"])
      expect((await stored([{ id: 1 }, { id: 2 }], chain)).map((row) => row["chain"])).toEqual([
        `${chain}`,
        `${chain}`,
      ]);
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
    const rows = await stored(numbers.map((number, id) => ({ id, number })));
    expect(rows.map(({ number }) => number)).toEqual(numbers.map(String));
    const amounts = numbers.map(String);
    expect(await stored([{ amounts: numbers }, { id: 1, amounts }])).toMatchObject(
      [0, 1].map(() => ({ amounts: `{${amounts.join(",")}}` })),
    );
  });

  it("have bytes as they are or as hex, texts, booleans, arrays and NULL", async () => {
    const bytes = [...Array.from({ length: 70 }, (_, size) => LONG.slice(0, 2 * size)), LONG];
    const hexRows = bytes.map((hex, i) => ({
      id: i,
      bytes: hex,
      name: `name ${i}`,
      flag: i % 2 === 0,
      hashes: bytes.slice(i - 3, i),
    }));
    const byteRows = hexRows.map((row) => ({ ...row, bytes: Buffer.from(row.bytes, "hex") }));
    const expected = hexRows.map(({ id, bytes, name, flag, hashes }) => ({
      id: String(id),
      bytes: `\\x${bytes}`,
      name,
      flag: String(flag),
      hashes: `{${hashes.map((hash) => `"\\\\x${hash}"`).join(",")}}`,
      number: null,
    }));
    expect(await stored(hexRows)).toMatchObject(expected);
    expect(await stored(byteRows)).toMatchObject(expected);
    expect(await stored([{ id: 1 }])).toMatchObject([
      { bytes: null, name: null, flag: null, hashes: "{}", amounts: "{}" },
    ]);
    expect(await stored([])).toEqual([]);
  });

  it("have any text as it is", async () => {
    const texts = ["\\x\tab\n", "\\", "\\N", "\r\n", "", "\\.", '",', "ü€", "𝄞".repeat(30_000), null];
    const rows = await stored(texts.map((name, id) => ({ id, name })));
    expect(rows.map(({ name }) => name)).toEqual(texts);
  });

  it("are copied in several parts, and with several COPYs", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE TABLE kept (chain bigint, id bigint)");
    await using writer = (await tryBecomeWriter(database.url, "test")) as Writer;
    const columns: BinaryColumns = { chain: "bigint", id: "bigint" };
    const copyOf = (...parts: Buffer[]) => ({ table: "kept", columns: Object.keys(columns), parts });
    const parts = [0, 1, 2].map((i) => binaryRows(columns, 1, [{ id: 3 * i }, { id: 3 * i + 1 }, { id: 3 * i + 2 }]));
    await writer.transaction((session) =>
      session.copy([copyOf(...parts), copyOf(binaryRows(columns, 1, [{ id: 9 }]))]),
    );
    const { rows } = await database.pool.query<{ id: string }>("SELECT id FROM kept ORDER BY id");
    expect(rows.map(({ id }) => Number(id))).toEqual(Array.from({ length: 10 }, (_, i) => i));
  });

  it.each<[string, string, unknown]>([
    ["an integer", "integer", 2 ** 31],
    ["a negative integer", "integer", -(2 ** 31) - 1],
    ["a small integer", "smallint", 32_768],
    ["a large integer", "bigint", 1n << 63n],
    ["a large integer as text", "bigint", String(-(1n << 63n) - 1n)],
  ])("refuse %s that does not fit its column", (_, type, value) => {
    expect(() => binaryRows({ chain: "bigint", column: type }, 1, [{ column: value }])).toThrow(UnfitValue);
  });

  it.each([`${"ab".repeat(30)}zz`, `zz${"ab".repeat(30)}`, "0g", "g0", ":0", "é0", "AB", "abc", "abc".repeat(11)])(
    "refuse the bytes %s, which are not hex",
    (text) => {
      expect(() => binaryRows({ chain: "bigint", column: "bytea" }, 1, [{ column: text }])).toThrow(UnfitValue);
    },
  );
});
