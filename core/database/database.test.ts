import { setTimeout as sleep } from "node:timers/promises";
import type { PrismaClient } from "../../prisma/client/client.ts";
import { createLoader, fields } from "../../subgraphs/shared/rows/loader.ts";
import { createRowsById } from "../../subgraphs/shared/rows/rows-by-id.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { Failure } from "../errors/errors.ts";
import { createLogger } from "../observability/logger.ts";
import { cancelWork, createWork, SERVICE_WORK, type Work } from "../work/work.ts";
import { prepared } from "./database.ts";
import { openDatabase } from "./open-database.ts";

const CONNECT_TIMEOUT_MS = 1_500;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

describe("a database whose connections are all in use", () => {
  const rejection = {
    code: "UNAVAILABLE",
    message: "the service is overloaded: no database connection became free in time",
  };

  it("fails a prepared statement with that reason, and runs it once a connection is free", async () => {
    await using busy = openDatabase(database.url, 1, createLogger("silent"));
    busy.pool.options.connectionTimeoutMillis = CONNECT_TIMEOUT_MS;
    const one = prepared<{ one: number }>(busy.pool, "one", "SELECT 1 AS one");
    const held = await busy.pool.connect();
    await expect(one([], SERVICE_WORK)).rejects.toMatchObject(rejection);
    held.release();
    expect(await one([], SERVICE_WORK)).toEqual([{ one: 1 }]);
  });

  it("fails a lookup through Prisma with that reason", async () => {
    await using busy = openDatabase(database.url, 1, createLogger("silent"));
    busy.pool.options.connectionTimeoutMillis = CONNECT_TIMEOUT_MS;
    const heads = createRowsById(busy.evm.prisma, {
      partitionOf: ({ chainId }: { readonly chainId: string }) => chainId,
      idOf: () => 0n,
      findMany: ({ chainHead }, chainId) => chainHead.findMany({ where: { chainId } }),
    });
    const load = createLoader("head", heads, fields("chainId"))(SERVICE_WORK);
    const held = await busy.pool.connect();
    await expect(load({ chainId: "1" })).rejects.toMatchObject(rejection);
    held.release();
  });
});

it("a database whose connections are all in use survives thousands of statements whose callers leave", async () => {
  await using busy = openDatabase(database.url, 1, createLogger("silent"));
  busy.pool.options.connectionTimeoutMillis = 30_000;
  const one = prepared<{ one: number }>(busy.pool, "one", "SELECT 1 AS one");
  const held = await busy.pool.connect();
  const waiting = begin((work) => Promise.allSettled(Array.from({ length: 20_000 }, () => one([], work))));
  while (busy.pool.waitingCount < 20_000) await sleep(5);
  waiting.leave();
  held.release();
  const statuses = new Set((await waiting.answer).map(({ status }) => status));
  expect([...statuses]).toEqual(["rejected"]);
  expect(await one([], SERVICE_WORK)).toEqual([{ one: 1 }]);
});

/** Runs something for the work of a request, whose caller leaves when `leave` is called. */
function begin<Result>(run: (work: Work) => Promise<Result>) {
  const work = createWork();
  return { answer: run(work), leave: () => cancelWork(work, new Failure("UNAVAILABLE", "left")) };
}

/** A pool of one connection, on which a statement of a request sleeps, and another pool to watch it. */
async function startSleeping(name: "prepared" | "prisma" = "prepared") {
  const opened = openDatabase(database.url, 1, createLogger("silent"));
  const watching = openDatabase(database.url, 1, createLogger("silent"));
  const sleep = prepared(opened.pool, "sleep", "SELECT pg_sleep(60)");
  const statements = {
    prepared: (work: Work) => sleep([], work),
    prisma: (work: Work) => opened.evm.prisma((client) => client.$queryRaw`SELECT 1 FROM pg_sleep(60)`, work, "1"),
  };
  const sleeping = async () => {
    const { rows } = await watching.pool.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE query ~ '^SELECT .*pg_sleep.60' AND state = 'active' AND pid <> pg_backend_pid()",
    );
    return rows.map(({ pid }) => pid);
  };
  const request = begin<unknown>(statements[name]);
  while ((await sleeping()).length !== 1);
  return {
    pool: opened.pool,
    watching,
    sleeping,
    /** PostgreSQL reports a cancelled statement as active until it has sent the error. */
    async untilNothingSleeps() {
      while ((await sleeping()).length > 0);
    },
    ...request,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await watching[Symbol.asyncDispose]();
    },
  };
}

describe("a statement", () => {
  it("is cancelled in the database when the caller leaves, even if no connection is free, and its connection is used again", async () => {
    await using opened = await startSleeping();
    const waiting = opened.pool.query("SELECT 1 AS one");
    opened.leave();
    await expect(opened.answer).rejects.toThrow("left");
    expect((await waiting).rows).toEqual([{ one: 1 }]);
    await opened.untilNothingSleeps();
    expect(opened.pool.totalCount).toBe(1);
  });

  it("is not sent if the caller leaves before it has a connection", async () => {
    await using opened = openDatabase(database.url, 1, createLogger("silent"));
    await opened.pool.query("CREATE TABLE sent ()");
    const held = await opened.pool.connect();
    const insert = prepared(opened.pool, "insert-sent", "INSERT INTO sent DEFAULT VALUES");
    const request = begin((work) => insert([], work));
    const later = begin(async (work) => [await sleep(0), await insert([], work)]);
    request.leave();
    later.leave();
    held.release();
    await expect(request.answer).rejects.toThrow("left");
    await expect(later.answer).rejects.toThrow("left");
    expect((await opened.pool.query("SELECT FROM sent")).rowCount).toBe(0);
    await opened.pool.query("DROP TABLE sent");
  });

  it("fails alone if its connection is lost", async () => {
    await using opened = await startSleeping();
    const [pid] = await opened.sleeping();
    await opened.watching.pool.query("SELECT pg_terminate_backend($1)", [pid]);
    await expect(opened.answer).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect((await opened.pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });

  it("is not different from others if nobody leaves", async () => {
    await using opened = openDatabase(database.url, 1, createLogger("silent"));
    const one = prepared<{ one: number }>(opened.pool, "one", "SELECT 1 / $1::int AS one");
    expect(await begin((work) => one([1], work)).answer).toEqual([{ one: 1 }]);
    await expect(begin((work) => one([0], work)).answer).rejects.toThrow("division by zero");
    expect(await one([1], SERVICE_WORK)).toEqual([{ one: 1 }]);
  });
});

describe("a statement that Prisma runs", () => {
  it("is cancelled in the database when the caller leaves", async () => {
    await using opened = await startSleeping("prisma");
    opened.leave();
    await expect(opened.answer).rejects.toThrow("left");
    await opened.untilNothingSleeps();
    expect(opened.pool.totalCount).toBe(1);
  });
});

const heads = ({ chainHead }: PrismaClient) => chainHead.findMany();

it("Prisma's query compiler is loaded in parts, between which the event loop does other work", async () => {
  // The files that it consists of are read for the first client only, which takes several iterations of the event loop.
  await using first = openDatabase(database.url, 1, createLogger("silent"));
  await first.evm.prisma(heads, SERVICE_WORK, "1");
  await using second = openDatabase(database.url, 1, createLogger("silent"));
  let iterations = 0;
  let next = setImmediate(function count() {
    iterations++;
    next = setImmediate(count);
  });
  // Before it is loaded, and before the first query is compiled.
  const before = await second.evm.prisma(async () => iterations, SERVICE_WORK, "1");
  clearImmediate(next);
  expect(before).toBeGreaterThanOrEqual(2);
  expect(await second.evm.prisma(heads, SERVICE_WORK, "1")).toEqual([]);
});

describe("a database that is not running", () => {
  it("fails a prepared statement with the reason that the database cannot be reached", async () => {
    await using closed = openDatabase("postgres://127.0.0.1:1/none", 1, createLogger("silent"));
    const message = "the database cannot be reached";
    const statement = prepared(closed.pool, "one", "SELECT 1");
    await expect(statement([], SERVICE_WORK)).rejects.toMatchObject({ code: "UNAVAILABLE", message });
  });
});
