import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { Failure } from "../errors/errors.ts";
import { createLogger } from "../observability/logger.ts";
import { cancelWork, createWork, SERVICE_WORK } from "../work/work.ts";
import { type PreparedStatement, prepared, runTogether } from "./database.ts";
import { openDatabase } from "./open-database.ts";

const SERIES = "SELECT n, 'é' || n AS text FROM generate_series(1, $1::int) n";
const BYTES = "SELECT decode(repeat('0aff', $1::int), 'hex') AS bytes, $2::text AS text";
const DIVIDE = "SELECT 1 / $1::int AS result";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

function open(connections = 1) {
  const own = openDatabase(database.url, connections, createLogger("fatal"));
  return {
    own,
    series: prepared<{ n: number; text: string }>(own.pool, "series", SERIES),
    bytes: prepared<{ bytes: string; text: string }>(own.pool, "bytes", BYTES),
    divide: prepared<{ result: number }>(own.pool, "divide", DIVIDE),
    /** Its rows tell the transaction in which it runs. */
    transaction: prepared<{ id: string }>(own.pool, "transaction", "SELECT pg_current_xact_id() AS id"),
  };
}

const isPrepared = async <Row>(statement: PreparedStatement<Row>, values: unknown[]): Promise<void> => {
  await statement(values, SERVICE_WORK);
};

describe("statements that run together", () => {
  it.each([
    ["when none of them is prepared", 0],
    ["when one of them is prepared", 1],
    ["when all of them are prepared", 2],
  ])("have the rows that they have alone, %s", async (_, count) => {
    const { own, series, bytes } = open();
    await using _own = own;
    if (count > 0) await isPrepared(series, [1]);
    if (count > 1) await isPrepared(bytes, [1, ""]);
    const runs = [series.with([2]), bytes.with([3, "ü"]), series.with([0]), series.with([3_000])] as const;
    const [two, one, none, many] = await runTogether(runs, SERVICE_WORK);
    expect(two).toEqual(await series([2], SERVICE_WORK));
    expect(one).toEqual([{ bytes: "0x0aff0aff0aff", text: "ü" }]);
    expect(none).toEqual([]);
    expect(many).toEqual(await series([3_000], SERVICE_WORK));
    expect(many).toHaveLength(3_000);
  });

  it("have the rows that they have alone, with long values and with values that are no texts", async () => {
    const { own, series, bytes } = open();
    await using _own = own;
    await Promise.all([isPrepared(series, [1]), isPrepared(bytes, [1, ""])]);
    for (const value of ["x".repeat(21_000), "x".repeat(60_000), new Date(0)]) {
      const [first, second] = await runTogether([bytes.with([1, value]), bytes.with([2, value])], SERVICE_WORK);
      expect([...first, ...second]).toEqual([
        ...(await bytes([1, value], SERVICE_WORK)),
        ...(await bytes([2, value], SERVICE_WORK)),
      ]);
    }
  });

  it("are one transaction, which other statements of the pool do not join", async () => {
    const { own, transaction } = open();
    await using _own = own;
    const [[first], [second]] = await runTogether([transaction.with([]), transaction.with([])], SERVICE_WORK);
    expect(second).toEqual(first);
    expect(await transaction([], SERVICE_WORK)).not.toEqual([first]);
  });

  it.each([false, true])("fail with the error of one of them, prepared: %s, and can run again", async (isReady) => {
    const { own, series, divide } = open();
    await using _own = own;
    if (isReady) await Promise.all([isPrepared(series, [1]), isPrepared(divide, [1])]);
    const failing = runTogether([series.with([2]), divide.with([0]), series.with([3])], SERVICE_WORK);
    await expect(failing).rejects.toThrow("division by zero");
    const [rows, [result]] = await runTogether([series.with([1]), divide.with([1])], SERVICE_WORK);
    expect([rows, result]).toEqual([[{ n: 1, text: "é1" }], { result: 1 }]);
  });

  it("are cancelled with the work of their request, and leave the connection usable", async () => {
    const { own, series } = open();
    await using _own = own;
    const sleep = prepared<{ done: string }>(own.pool, "sleep", "SELECT pg_sleep($1::float8)::text AS done");
    await Promise.all([isPrepared(series, [1]), isPrepared(sleep, [0])]);
    const work = createWork();
    const running = runTogether([sleep.with([60]), series.with([1])], work);
    const left = expect(running).rejects.toThrow("left");
    await isWaiting(own);
    cancelWork(work, new Failure("UNAVAILABLE", "left"));
    await left;
    expect(await series([1], SERVICE_WORK)).toEqual([{ n: 1, text: "é1" }]);
  });
});

/** Resolves when the only connection of the pool is in use. */
async function isWaiting({ pool }: ReturnType<typeof openDatabase>): Promise<void> {
  while (pool.idleCount > 0 || pool.totalCount === 0) await new Promise((resolve) => setImmediate(resolve));
}
