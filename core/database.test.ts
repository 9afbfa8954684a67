import { createBatch, fields } from "../subgraphs/shared/rows/batch.ts";
import { createRowsById } from "../subgraphs/shared/rows/rows-by-id.ts";
import { createTestDatabase, type TestDatabase } from "../test/support/database/database.ts";
import { operationSignal, runHeavy } from "./admission/heavy-operations.ts";
import { openDatabase, prepared } from "./database.ts";
import { Failure } from "./errors.ts";
import { createLogger } from "./logger.ts";

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
    await using busy = openDatabase(database.url, 1, createLogger("silent"), {
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    });
    const one = prepared<{ one: number }>(busy.pool, "one", "SELECT 1 AS one");
    const held = await busy.pool.connect();
    await expect(one([])).rejects.toMatchObject(rejection);
    held.release();
    expect(await one([])).toEqual([{ one: 1 }]);
  });

  it("fails a lookup through Prisma with that reason", async () => {
    await using busy = openDatabase(database.url, 1, createLogger("silent"), {
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    });
    const heads = createRowsById({
      partitionOf: ({ chainId }: { readonly chainId: string }) => chainId,
      idOf: () => 0n,
      where: (chainId) => ({ chainId }),
      findMany: (OR) => busy.prisma.chainHead.findMany({ where: { OR } }),
    });
    const load = createBatch("head", heads, fields("chainId"));
    const held = await busy.pool.connect();
    await expect(load({ chainId: "1" })).rejects.toMatchObject(rejection);
    held.release();
  });
});

describe("a statement of a heavy operation", () => {
  const SLEEPING =
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'";

  it("is cancelled in the database when the caller leaves, and its connection is used again", async () => {
    await using opened = openDatabase(database.url, 2, createLogger("silent"));
    const sleeping = prepared<{ count: number }>(opened.pool, "sleeping", SLEEPING);
    const sleep = prepared(opened.pool, "sleep", "SELECT pg_sleep(60)");
    const leave = new AbortController();
    const operation = runHeavy(leave.signal, () => sleep([]));
    while ((await sleeping([]))[0]?.count !== 1);
    leave.abort(new Failure("UNAVAILABLE", "left"));
    await expect(operation).rejects.toThrow("left");
    expect(await sleeping([])).toEqual([{ count: 0 }]);
    expect(opened.pool.totalCount).toBe(2);
    await expect(runHeavy(leave.signal, () => sleep([]))).rejects.toThrow("left");
  });

  it("has the signal only while the operation runs", async () => {
    expect(operationSignal()).toBeUndefined();
    const aborted = await runHeavy(undefined, async () => {
      await Promise.resolve();
      return operationSignal()?.aborted;
    });
    expect([aborted, operationSignal()]).toEqual([false, undefined]);
  });

  it("is not different from others if nobody leaves", async () => {
    await using opened = openDatabase(database.url, 1, createLogger("silent"));
    const one = prepared<{ one: number }>(opened.pool, "one", "SELECT 1 / $1::int AS one");
    expect(await runHeavy(undefined, () => one([1]))).toEqual([{ one: 1 }]);
    await expect(runHeavy(undefined, () => one([0]))).rejects.toThrow("division by zero");
    expect(await one([1])).toEqual([{ one: 1 }]);
  });
});

describe("a database that is not running", () => {
  it("fails a prepared statement with the reason that the database cannot be reached", async () => {
    await using closed = openDatabase("postgres://127.0.0.1:1/none", 1, createLogger("silent"));
    const message = "the database cannot be reached";
    const statement = prepared(closed.pool, "one", "SELECT 1");
    await expect(statement([])).rejects.toMatchObject({ code: "UNAVAILABLE", message });
  });
});
