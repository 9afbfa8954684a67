import { createBatch, fields } from "../subgraphs/shared/rows/batch.ts";
import { createRowsById } from "../subgraphs/shared/rows/rows-by-id.ts";
import { createTestDatabase, type TestDatabase } from "../test/support/database/database.ts";
import { openDatabase, prepared } from "./database.ts";
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

describe("a database that is not running", () => {
  it("fails a prepared statement with the reason that the database cannot be reached", async () => {
    await using closed = openDatabase("postgres://127.0.0.1:1/none", 1, createLogger("silent"));
    const message = "the database cannot be reached";
    const statement = prepared(closed.pool, "one", "SELECT 1");
    await expect(statement([])).rejects.toMatchObject({ code: "UNAVAILABLE", message });
  });
});
