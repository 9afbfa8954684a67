import { createTestDatabase } from "../../test/support/database/database.ts";
import { binaryCopy } from "./binary-copy.ts";
import { encodedRows } from "./encoded-rows.ts";
import { pgBytes } from "./pg-bytes.ts";
import { tryBecomeWriter, type Writer } from "./writer.ts";

const LONG = "0123456789abcdef".repeat(20_000);

describe("encoded rows", () => {
  it("are stored with the values that `Session.copy` stores", async () => {
    await using database = await createTestDatabase();
    const columns = ["id", "bytes", "number", "name", "flag"];
    const rows = [
      ["1", pgBytes(""), "0", "CREATE2", "t"],
      ["2", pgBytes("00"), "-1.5", null, "f"],
      ["3", pgBytes("ff".repeat(32)), "9".repeat(78), "A", null],
      ["4", null, null, null, null],
      ["5", pgBytes(LONG), "10", "B", "true"],
    ];
    const types = "(id bigint, bytes bytea, number numeric, name text, flag boolean)";
    for (const table of ["plain", "encoded"]) await database.pool.query(`CREATE TABLE ${table} ${types}`);
    await using writer = (await tryBecomeWriter(database.url, "test")) as Writer;
    await writer.transaction(async (session) => {
      await session.copy("plain", columns, rows);
      const parts = [encodedRows(rows.slice(0, 3)), encodedRows(rows.slice(3))];
      await session.copyEncoded([{ table: "encoded", columns, parts }]);
    });
    const stored = async (table: string) =>
      (await database.pool.query(`SELECT ${columns.map((name) => `${name}::text`)} FROM ${table} ORDER BY id`)).rows;
    expect(await stored("encoded")).toEqual(await stored("plain"));
    expect((await stored("encoded")).map(({ bytes }) => bytes)).toEqual(rows.map(([, bytes]) => bytes));
  });

  it("are stored in the binary format as in the other one", async () => {
    await using database = await createTestDatabase();
    const columns = ["id", "number", "bytes"];
    const rows = [
      [1, 0, Buffer.alloc(0)],
      [2, -1, null],
      [3, null, Buffer.from([0, 0x0a, 0x5c, 0xff])],
      [4, (1n << 63n) - 1n, Buffer.from(LONG, "hex")],
      [5, -(1n << 63n), Buffer.alloc(70_000, 7)],
      ...Array.from({ length: 3_000 }, (_, i) => [6 + i, i, Buffer.alloc(i % 40, i)]),
    ];
    await database.pool.query("CREATE TABLE kept (id bigint, number bigint, bytes bytea)");
    await using writer = (await tryBecomeWriter(database.url, "test")) as Writer;
    await writer.transaction(async (session) => {
      const none = binaryCopy("kept", columns, []);
      const csv = { table: "kept", columns, parts: [encodedRows([["0", "1", pgBytes("02")]])] };
      await session.copyEncoded([none, binaryCopy("kept", columns, rows), csv]);
    });
    const stored = (await database.pool.query({ text: "SELECT * FROM kept ORDER BY id", rowMode: "array" })).rows;
    const expected = [[0, 1, Buffer.from([2])], ...rows].map(([id, number, bytes]) => [
      String(id),
      number === null ? null : String(number),
      bytes,
    ]);
    expect(stored).toEqual(expected);
  });
});
