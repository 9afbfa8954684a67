import { createTestDatabase } from "../../test/support/database/database.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { startTcpProxy } from "../../test/support/node/tcp-proxy.ts";
import { binaryRows } from "./binary-rows.ts";
import { type Session, tryBecomeWriter, type Writer } from "./writer.ts";

/** A COPY of rows of the column `a`, all with the same `chain`. */
const copyOf = (table: string, type: "integer" | "bytea?", ...values: unknown[]) => ({
  table,
  columns: ["chain", "a"],
  parts: values.map((a) => binaryRows({ chain: "integer", a: type }, 1, [{ a }])),
});

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
    await database.pool.query("CREATE TABLE kept (chain INTEGER, a BYTEA)");
    await using writer = await become(database.url, "1");
    const rows = (count: number) => Array.from({ length: count }, (_, i) => (i % 2 ? null : "00ff5c"));
    const failing = writer.transaction(async (session) => {
      await session.copy([copyOf("kept", "bytea?", ...rows(3))]);
      throw new Error("too late");
    });
    const following = writer.transaction((session) => session.copy([copyOf("kept", "bytea?", ...rows(5_000))]), {
      relaxed: true,
    });
    await expect(failing).rejects.toThrow("too late");
    await following;
    const text = "SELECT count(*)::int AS n, count(a)::int AS some, min(encode(a, 'hex')) AS bytes FROM kept";
    expect((await database.pool.query(text)).rows).toEqual([{ n: 5_000, some: 2_500, bytes: "00ff5c" }]);
  });

  it("continue after a COPY that the database refuses", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE TABLE kept (chain INTEGER, a INTEGER PRIMARY KEY)");
    await using writer = await become(database.url, "1");
    const copy = (type: "integer" | "bytea?", ...values: unknown[]) =>
      writer.transaction((session) => session.copy([copyOf("kept", type, ...values)]));
    await expect(copy("bytea?", "00000001", "ff")).rejects.toThrow("insufficient data");
    await expect(copy("integer", 1, 1)).rejects.toThrow("duplicate key");
    await copy("integer", 1, 2);
    expect((await database.pool.query("SELECT a FROM kept ORDER BY a")).rows).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it("copy several tables together, and fail with the reason of the first table that the database refuses", async () => {
    await using database = await createTestDatabase();
    for (const table of ["one", "two", "three"])
      await database.pool.query(`CREATE TABLE ${table} (chain INTEGER, a INTEGER PRIMARY KEY)`);
    await using writer = await become(database.url, "1");
    const many = Array.from({ length: 100_000 }, (_, i) => i);
    const copy = (type: "integer" | "bytea?", two: readonly unknown[]) =>
      writer.transaction((session) =>
        session.copy([
          copyOf("one", "integer", ...many),
          copyOf("two", type, ...two),
          copyOf("three", "integer", ...many),
        ]),
      );
    await expect(copy("integer", [1, 1])).rejects.toMatchObject({ code: "23505", table: "two" });
    await expect(copy("bytea?", ["ff"])).rejects.toThrow("insufficient data");
    await copy("integer", [1, 2]);
    const counts =
      "SELECT (SELECT count(*)::int FROM one) AS one, (SELECT count(*)::int FROM two) AS two, (SELECT count(*)::int FROM three) AS three";
    expect((await database.pool.query(counts)).rows).toEqual([{ one: 100_000, two: 2, three: 100_000 }]);
  });

  it("send a statement when it is called, also while PostgreSQL executes an earlier one", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE TABLE kept (chain INTEGER, a INTEGER)");
    let sent = "";
    await using proxy = await startTcpProxy(database.url, (data) => {
      sent += data.toString("latin1");
    });
    await using writer = await become(proxy.through(database.url), "1");
    const other = await database.pool.connect();
    try {
      await other.query("SELECT pg_advisory_lock(1)");
      const writing = writer.transaction((session) =>
        Promise.all([
          session.query("SELECT pg_advisory_xact_lock(1)"),
          session.copy([copyOf("kept", "integer", 1)]),
          session.query("INSERT INTO kept VALUES (1, 2)"),
        ]),
      );
      await until(
        async () => sent,
        (text) => text.includes("INSERT INTO kept"),
        "the last statement",
      );
      await other.query("SELECT pg_advisory_unlock(1)");
      await writing;
    } finally {
      other.release();
    }
    expect((await database.pool.query("SELECT a FROM kept ORDER BY a")).rows).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it("fail if PostgreSQL rolls them back because of a failure that the task has caught", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE TABLE kept (a INTEGER PRIMARY KEY)");
    await using writer = await become(database.url, "1");
    const insert = (catches: boolean) =>
      writer.transaction(async ({ query }) => {
        await query("INSERT INTO kept VALUES (1)");
        if (catches) await query("INSERT INTO kept VALUES (1)").catch(() => {});
        return "stored";
      });
    await expect(insert(true)).rejects.toThrow("PostgreSQL rolled the transaction back");
    expect((await database.pool.query("SELECT a FROM kept")).rows).toEqual([]);
    expect(await insert(false)).toBe("stored");
  });

  it("execute statements in the order of the calls, and refuse those that are called after their end", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE TABLE kept (a INTEGER PRIMARY KEY)");
    await using writer = await become(database.url, "1");
    let ended: Session | undefined;
    const failing = writer.transaction(async (session) => {
      ended = session;
      await Promise.all([
        session.query("INSERT INTO kept VALUES (1)"),
        session.query("INSERT INTO kept VALUES (1)"),
        session.query("INSERT INTO kept VALUES (2)"),
      ]);
    });
    await expect(failing).rejects.toThrow("duplicate key");
    await expect(ended?.query("INSERT INTO kept VALUES (3)")).rejects.toThrow("after the end of its transaction");
    expect((await database.pool.query("SELECT a FROM kept")).rows).toEqual([]);
  });
});
