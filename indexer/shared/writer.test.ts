import { createTestDatabase } from "../../test/support/database/database.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { tryBecomeWriter, type Writer } from "./writer.ts";

const become = async (url: string, name: string) => (await tryBecomeWriter(url, name)) as Writer;

describe("the writer of a chain", () => {
  it("is exclusive for each chain", async () => {
    await using database = await createTestDatabase();
    const first = await become(database.url, "1");
    expect(await tryBecomeWriter(database.url, "1")).toBeNull();
    await using _other = await become(database.url, "2");
    await first[Symbol.asyncDispose]();
    await using next = await become(database.url, "1");
    expect(next).not.toBeNull();
  });

  it("is notified of a lost session, and its statements fail afterwards", async () => {
    await using database = await createTestDatabase();
    await using writer = await become(database.url, "1");
    await database.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'moraine writer 1'",
    );
    await until(
      async () => writer.lost.aborted,
      (lost) => lost,
      "the loss",
    );
    await expect(writer.transaction((session) => session.query("SELECT 1"))).rejects.toThrow();
    // PostgreSQL releases the lock of the session after it has told the client that the session ends.
    await using next = await until(
      () => tryBecomeWriter(database.url, "1"),
      (got) => got !== null,
      "the lock",
    );
    expect(next?.lost.aborted).toBe(false);
  });
});

describe("transactions", () => {
  it("run one after the other, and are rolled back if they throw", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE TABLE kept (a TEXT, b BYTEA)");
    await using writer = await become(database.url, "1");
    const rows = (count: number) => Array.from({ length: count }, (_, i) => [String(i), i % 2 ? null : "\\x00ff5c"]);
    const failing = writer.transaction(async (session) => {
      await session.copy("kept", ["a", "b"], rows(3));
      throw new Error("too late");
    });
    const following = writer.transaction((session) => session.copy("kept", ["a", "b"], rows(5_000)), { relaxed: true });
    await expect(failing).rejects.toThrow("too late");
    await following;
    const text = "SELECT count(*)::int AS n, count(b)::int AS some, min(encode(b, 'hex')) AS bytes FROM kept";
    expect((await database.pool.query(text)).rows).toEqual([{ n: 5_000, some: 2_500, bytes: "00ff5c" }]);
  });

  it("copy any text as it is", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE TABLE kept (i INTEGER, a TEXT)");
    await using writer = await become(database.url, "1");
    const texts = ["\\x\tab\n", "\\", "\\N", "a\\b\\", "\ttab", "\r\n", "", "\\.", "0x\\x00", "ü€"];
    await writer.transaction((session) =>
      session.copy(
        "kept",
        ["i", "a"],
        [...texts, null].map((text, i) => [String(i), text]),
      ),
    );
    const { rows } = await database.pool.query("SELECT a FROM kept ORDER BY i");
    expect(rows.map(({ a }) => a)).toEqual([...texts, null]);
  });

  it("continue after a COPY that the database refuses", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE TABLE kept (a INTEGER PRIMARY KEY)");
    await using writer = await become(database.url, "1");
    const copy = (...values: string[]) =>
      writer.transaction((session) =>
        session.copy(
          "kept",
          ["a"],
          values.map((value) => [value]),
        ),
      );
    await expect(copy("1", "none")).rejects.toThrow("invalid input syntax");
    await expect(copy("1", "1")).rejects.toThrow("duplicate key");
    await copy("1", "2");
    expect((await database.pool.query("SELECT a FROM kept ORDER BY a")).rows).toEqual([{ a: 1 }, { a: 2 }]);
  });
});
