import { createTestDatabase } from "../../test/support/database/database.ts";
import { csvRows } from "./csv-rows.ts";
import { pgBytes } from "./pg-bytes.ts";
import { tryBecomeWriter, type Writer } from "./writer.ts";

const LONG = "0123456789abcdef".repeat(20_000);

describe("rows in the CSV format of COPY", () => {
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
      const parts = [csvRows(rows.slice(0, 3)), csvRows(rows.slice(3))];
      await session.copyEncoded([{ table: "encoded", columns, parts }]);
    });
    const stored = async (table: string) =>
      (await database.pool.query(`SELECT ${columns.map((name) => `${name}::text`)} FROM ${table} ORDER BY id`)).rows;
    expect(await stored("encoded")).toEqual(await stored("plain"));
    expect((await stored("encoded")).map(({ bytes }) => bytes)).toEqual(rows.map(([, bytes]) => bytes));
  });
});
