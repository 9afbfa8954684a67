import { createTestDatabase } from "../../test/support/database/database.ts";
import { encodedRows, inChunks } from "./encoded-rows.ts";
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
      await session.copyEncoded("encoded", columns, [encodedRows(rows.slice(0, 3)), encodedRows(rows.slice(3))]);
    });
    const stored = async (table: string) =>
      (await database.pool.query(`SELECT ${columns.map((name) => `${name}::text`)} FROM ${table} ORDER BY id`)).rows;
    expect(await stored("encoded")).toEqual(await stored("plain"));
    expect((await stored("encoded")).map(({ bytes }) => bytes)).toEqual(rows.map(([, bytes]) => bytes));
  });
});

describe("pieces of bytes", () => {
  it("have the same bytes in their order, and at least 1 MiB but for the last one", () => {
    const parts = Array.from({ length: 100 }, (_, i) => Buffer.alloc(i * 1000, i));
    const pieces = [...inChunks(parts)];
    expect(Buffer.concat(pieces)).toEqual(Buffer.concat(parts));
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces.slice(0, -1)) expect(piece.length).toBeGreaterThanOrEqual(1 << 20);
    expect([...inChunks([])]).toEqual([]);
  });
});
