import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { startTcpProxy } from "../../test/support/node/tcp-proxy.ts";
import { openWriterSession, type Session, tryBecomeWriter, type Writer } from "./writer.ts";
import { createWriterSessions, type WriterSessions } from "./writer-sessions.ts";

const CHECK_MS = 20;
/** Time for several checks of the sessions. */
const CHECKS_MS = 200;
const SESSIONS = "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'moraine writer'";

const become = async (sessions: WriterSessions, name: string) => (await sessions.tryBecomeWriter(name)) as Writer;

const pidOf = (writer: Writer): Promise<number> =>
  writer.transaction(async ({ query }) => {
    const [row] = await query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    return row?.pid ?? 0;
  });

async function countSessions({ pool }: TestDatabase): Promise<number> {
  return (await pool.query<{ n: number }>(`SELECT count(*)::int AS n ${SESSIONS}`)).rows[0]?.n ?? 0;
}

const untilSessions = (database: TestDatabase, expected: number) =>
  until(
    () => countSessions(database),
    (count) => count === expected,
    `${expected} sessions`,
  );

describe("the sessions in which a process writes its chains", () => {
  it("are as many as its chains, up to a limit from which on chains share them, and end with their last chain", async () => {
    await using database = await createTestDatabase();
    await using sessions = createWriterSessions({ url: database.url, most: 3 });
    const two = await Promise.all(["1", "2"].map((name) => become(sessions, name)));
    expect(new Set(await Promise.all(two.map(pidOf))).size).toBe(2);
    const others = await Promise.all(Array.from({ length: 7 }, (_, i) => become(sessions, String(i + 3))));
    const pids = await Promise.all([...two, ...others].map(pidOf));
    const shares = [...new Set(pids)].map((pid) => pids.filter((one) => one === pid).length);
    expect(shares).toEqual([3, 3, 3]);
    await untilSessions(database, 3);
    for (const writer of [...two, ...others]) await writer[Symbol.asyncDispose]();
    await untilSessions(database, 0);
  });

  it("give a chain one writer among all processes and in each, until the writer is disposed", async () => {
    await using database = await createTestDatabase();
    await using sessions = createWriterSessions({ url: database.url, most: 1 });
    await using other = createWriterSessions({ url: database.url, most: 1 });
    const writer = await become(sessions, "1");
    await using _beside = await become(sessions, "2");
    expect(await sessions.tryBecomeWriter("1")).toBeNull();
    expect(await other.tryBecomeWriter("1")).toBeNull();
    // The session of a process that only waits ends.
    await untilSessions(database, 1);
    await writer[Symbol.asyncDispose]();
    await using next = await become(other, "1");
    expect(await sessions.tryBecomeWriter("1")).toBeNull();
    expect(next.lost.aborted).toBe(false);
  });

  it("execute the transactions that a writer has called before it is disposed, and refuse later ones", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE TABLE kept (a INTEGER)");
    await using sessions = createWriterSessions({ url: database.url, most: 1 });
    const writer = await become(sessions, "1");
    await using _beside = await become(sessions, "2");
    const insert = (a: number) => writer.transaction(({ query }) => query("INSERT INTO kept VALUES ($1)", [a]));
    const before = insert(1);
    const ending = writer[Symbol.asyncDispose]();
    const after = insert(2);
    await expect(after).rejects.toThrow("the writer 1 has ended");
    await Promise.all([before, ending]);
    expect((await database.pool.query("SELECT a FROM kept")).rows).toEqual([{ a: 1 }]);
  });

  it("lose the transaction that runs together with the locks, so that the next writer of a chain never meets the former one", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE TABLE kept (a INTEGER)");
    await using sessions = createWriterSessions({ url: database.url, most: 2 });
    await using other = createWriterSessions({ url: database.url, most: 2 });
    const [lost, untouched, alsoLost] = await Promise.all(["1", "2", "3"].map((name) => become(sessions, name)));
    if (!lost || !untouched || !alsoLost) throw new Error("no writers");
    const pid = await pidOf(lost);
    expect(await pidOf(alsoLost)).toBe(pid);
    let inserted: () => void = () => {};
    const isInserted = new Promise<void>((resolve) => {
      inserted = resolve;
    });
    let terminate: () => void = () => {};
    const isTerminated = new Promise<void>((resolve) => {
      terminate = resolve;
    });
    const insert = async ({ query }: Session) => query("INSERT INTO kept VALUES (1)");
    const writing = lost.transaction(async (session) => {
      await insert(session);
      inserted();
      await isTerminated;
      await insert(session);
    });
    const refused = expect(writing).rejects.toThrow();
    await isInserted;
    await database.pool.query("SELECT pg_terminate_backend($1)", [pid]);
    const next = await Promise.all(
      ["1", "3"].map((name) =>
        until(
          () => other.tryBecomeWriter(name),
          (writer) => writer !== null,
          "the lock",
        ),
      ),
    );
    const rows = await next[0]?.transaction(({ query }) => query("SELECT a FROM kept"));
    expect(rows).toEqual([]);
    terminate();
    await refused;
    await until(
      async () => [lost, alsoLost].map((writer) => writer.lost.aborted),
      (aborted) => aborted.every(Boolean),
      "the loss",
    );
    await expect(alsoLost.transaction(insert)).rejects.toThrow();
    expect(untouched.lost.aborted).toBe(false);
    await untouched.transaction(insert);
    expect((await database.pool.query("SELECT a FROM kept")).rows).toEqual([{ a: 1 }]);
    for (const writer of [lost, alsoLost]) await writer[Symbol.asyncDispose]();
    // Another session is opened in place of the lost one.
    await using again = await become(sessions, "4");
    expect(await pidOf(again)).not.toBe(await pidOf(untouched));
  });

  it("are renewed between transactions if chains share them, without a moment in which another process could take a lock", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE TABLE kept (a INTEGER PRIMARY KEY, pid INTEGER DEFAULT pg_backend_pid())");
    await using sessions = createWriterSessions({
      url: database.url,
      most: 1,
      checkMs: CHECK_MS,
    });
    await using other = createWriterSessions({ url: database.url, most: 1 });
    const [one, two] = await Promise.all(["1", "2"].map((name) => become(sessions, name)));
    if (!one || !two) throw new Error("no writers");
    let written = 0;
    const pids = new Set<number>();
    while (pids.size < 4) {
      const insert = "INSERT INTO kept VALUES ($1) RETURNING pid";
      const [row] = await one.transaction(({ query }) => query<{ pid: number }>(insert, [written++]));
      pids.add(row?.pid ?? 0);
      expect(await other.tryBecomeWriter("1")).toBeNull();
      expect(await other.tryBecomeWriter("2")).toBeNull();
    }
    const { rows } = await database.pool.query("SELECT count(*)::int AS n, count(DISTINCT pid)::int AS pids FROM kept");
    expect(rows).toEqual([{ n: written, pids: 4 }]);
    expect([one.lost.aborted, two.lost.aborted]).toEqual([false, false]);
    await one[Symbol.asyncDispose]();
    await using next = await become(other, "1");
    expect(next.lost.aborted).toBe(false);
    await two[Symbol.asyncDispose]();
    await untilSessions(database, 1);
  });
});

describe("a session that chains share", () => {
  const pidsOf = async ({ pool }: TestDatabase): Promise<number[]> =>
    (await pool.query<{ pid: number }>(`SELECT pid ${SESSIONS}`)).rows.map(({ pid }) => pid);

  it("is renewed once when it was used and is quiet again", async () => {
    await using database = await createTestDatabase();
    await using sessions = createWriterSessions({ url: database.url, most: 1, checkMs: CHECK_MS });
    await using one = await become(sessions, "1");
    await using _two = await become(sessions, "2");
    const unused = await pidsOf(database);
    await sleep(CHECKS_MS);
    expect(await pidsOf(database)).toEqual(unused);
    expect([await pidOf(one)]).toEqual(unused);
    const renewed = await until(
      () => pidsOf(database),
      (pids) => pids.length === 1 && pids[0] !== unused[0],
      "a new session",
    );
    await sleep(CHECKS_MS);
    expect(await pidsOf(database)).toEqual(renewed);
  });
});

describe("a session that fails to become a writer", () => {
  it("ends, so that it does not keep the lock", async () => {
    await using database = await createTestDatabase();
    // PostgreSQL refuses the statement that releases the exclusive lock: there is no function of that name.
    await using proxy = await startTcpProxy(database.url, (data) => {
      const at = data.indexOf("pg_advisory_unlock(");
      if (at >= 0) data.write("no", at);
    });
    await using session = await openWriterSession({
      url: proxy.through(database.url),
      applicationName: "moraine writer",
    });
    await expect(session.tryBecomeWriter("1")).rejects.toThrow("does not exist");
    await using next = await until(
      () => tryBecomeWriter(database.url, "1"),
      (got) => got !== null,
      "the lock",
    );
    expect(next?.lost.aborted).toBe(false);
    expect(session.lost.aborted).toBe(true);
  });
});

describe("the check of a session", () => {
  it("loses it if PostgreSQL does not answer, as after a connection that was lost without a message", async () => {
    await using database = await createTestDatabase();
    await using proxy = await startTcpProxy(database.url);
    const url = proxy.through(database.url);
    await using session = await openWriterSession({ url, applicationName: "moraine writer" });
    await using writer = (await session.tryBecomeWriter("1")) as Writer;
    await session.check();
    expect(session.lost.aborted).toBe(false);
    proxy.hold();
    await session.check(50);
    expect([session.lost.aborted, writer.lost.aborted]).toEqual([true, true]);
  });
});

describe("the renewal of a session", () => {
  it("does not hide that the present session is lost", async () => {
    await using database = await createTestDatabase();
    await using session = await openWriterSession({
      url: database.url,
      applicationName: "moraine writer",
    });
    const writer = (await session.tryBecomeWriter("1")) as Writer;
    const pid = await pidOf(writer);
    await session.renew();
    const renewed = await pidOf(writer);
    expect(renewed).not.toBe(pid);
    await database.pool.query("SELECT pg_terminate_backend($1)", [renewed]);
    await session.renew();
    await until(
      async () => writer.lost.aborted,
      (lost) => lost,
      "the loss",
    );
    await expect(pidOf(writer)).rejects.toThrow();
    await using next = await until(
      () => tryBecomeWriter(database.url, "1"),
      (got) => got !== null,
      "the lock",
    );
    expect(next?.lost.aborted).toBe(false);
  });

  it("keeps the present session if the new one is lost after it has got the locks", async () => {
    await using database = await createTestDatabase();
    const pids: number[] = [];
    let isStopped = false;
    await using proxy = await startTcpProxy(database.url, (data) => {
      const [present, next] = pids;
      // The last question to the present session, after the new one has all locks.
      if (isStopped || !present || !next || !data.includes("SELECT 1\0")) return;
      isStopped = true;
      process.kill(present, "SIGSTOP");
      process.kill(next, "SIGTERM");
    });
    await using session = await openWriterSession({
      url: proxy.through(database.url),
      applicationName: "moraine writer",
      onSession: (pid) => pids.push(pid),
    });
    const writer = (await session.tryBecomeWriter("1")) as Writer;
    const renewing = session.renew();
    try {
      await until(
        async () => isStopped && (await countSessions(database)) === 1,
        (isAlone) => isAlone,
        "the end of the new session",
      );
    } finally {
      process.kill(pids[0] as number, "SIGCONT");
    }
    await renewing;
    expect(writer.lost.aborted).toBe(false);
    expect(await pidOf(writer)).toBe(pids[0]);
  });
});
