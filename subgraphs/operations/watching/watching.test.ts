import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../../core/errors/errors.ts";
import { createPageTokens } from "../../../core/graph/page.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { evmRequest } from "../../../test/support/operations/requests.ts";
import { type Change, COMPLETED, changeOperation } from "../../../test/support/operations/worker.ts";
import { createJobs, type Jobs } from "../jobs/jobs.ts";
import { createOperationStore, type OperationStore } from "../operations/store.ts";
import { createHub } from "./hub.ts";
import type { Update, UpdateIterator } from "./update-iterator.ts";
import { createWatching, type Watching } from "./watching.ts";

const NOW = 1_000;
const nowSeconds = () => NOW;
const LIMITS = { maxRunning: 1_000, maxRunningPerKey: 1_000, fileLifetimeSeconds: 100 };

let database: TestDatabase;
let jobs: Jobs;
/** Ids of each statement that read operations by id. */
let reads: (readonly string[])[];
let watching: Watching;

beforeEach(async () => {
  database = await createTestDatabase();
  reads = [];
  const stored = createOperationStore(database, createPageTokens(Buffer.alloc(32), nowSeconds));
  const operations: OperationStore = {
    ...stored,
    byIds(ids) {
      reads.push(ids);
      return stored.byIds(ids, SERVICE_WORK);
    },
  };
  const logger = createLogger("silent");
  jobs = createJobs({ pool: database.pool, operations: stored, limits: LIMITS, nowSeconds, logger });
  watching = createWatching(createHub({ pool: database.pool, operations, logger, nowSeconds }));
});
afterEach(async () => {
  await watching[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

let started = 0;
const start = async (owner = "a"): Promise<string> =>
  (await jobs.start(owner, evmRequest(++started), null, SERVICE_WORK)).operationId;
const change = (operationId: string, changes: Change) => changeOperation(database, operationId, changes);

/** Changes a row without a notification, as if it was sent while no connection listened. */
const changeUnnoticed = (operationId: string, status: string, owner: string | null = null) =>
  database.pool.query(
    `UPDATE operations SET version = version + 1, operation_status = $2, updated_at = 1000, owner = coalesce($3, owner)
     WHERE operation_id = $1`,
    [operationId, status, owner],
  );

/** Collects what an iterator yields: status and rows, or the code of a failure. */
function collect(iterator: UpdateIterator) {
  const received: string[] = [];
  const textOf = (update: Update): string =>
    update instanceof Failure ? update.code : `${update.operationStatus} ${update.progress.rows}`;
  const done = (async () => {
    for await (const update of iterator) received.push(textOf(update));
  })();
  return { received, done };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 500 && !(await isSo()); i++) await sleep(10);
  expect(await isSo()).toBe(true);
}

const LISTENING = "application_name = 'moraine: operations' AND datname = current_database()";
/** An operation is read again at the earliest 250 ms after it was read. */
const THROTTLED_MS = 300;
const HAS_READ = `query = 'LISTEN "moraine_operations"' AND state = 'idle'`;

async function sessions(condition: string): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE ${LISTENING} AND ${condition}`,
  );
  return rows[0]?.count ?? 0;
}

/** Ends the listening connection, and waits until it is gone. */
async function cut(): Promise<void> {
  await database.pool.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE ${LISTENING}`);
}

describe("watching an operation", () => {
  it("begins with its present state, follows its changes, and completes after its end", async () => {
    const id = await start();
    await change(id, { row_count: 1 });
    const { received, done } = collect(await watching.operation("a", id.toUpperCase()));
    await until(() => received.length === 1);
    for (const [count, rows] of [2, 3, 4].entries()) {
      await change(id, { row_count: rows });
      await until(() => received.length === count + 2);
    }
    await change(id, COMPLETED);
    await done;
    expect(received).toEqual(["RUNNING 1", "RUNNING 2", "RUNNING 3", "RUNNING 4", "COMPLETED 10"]);
  });

  it("sends one state of an operation that has ended", async () => {
    const id = await start();
    await jobs.cancel({ owner: "a", cancelToken: null }, id, SERVICE_WORK);
    const { received, done } = collect(await watching.operation("a", id));
    await done;
    expect(received).toEqual(["FAILED 0"]);
  });

  it("sends no state twice and none after a newer one, however fast the changes are", async () => {
    const id = await start();
    const { received, done } = collect(await watching.operation("a", id));
    for (let rows = 1; rows <= 50; rows++) await change(id, { row_count: rows });
    await change(id, { ...COMPLETED, row_count: 51 });
    await done;
    const rows = received.map((text) => Number(text.split(" ")[1]));
    expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b));
    expect(received.at(-1)).toBe("COMPLETED 51");
    expect(received.filter((text) => !text.startsWith("RUNNING"))).toHaveLength(1);
  });

  it("keeps for a slow reader only the newest state with each status", async () => {
    const id = await start();
    const other = await start();
    const iterator = await watching.operation("a", id);
    const barrier = collect(await watching.operation("a", other));
    await change(id, { row_count: 5 });
    await change(id, COMPLETED);
    await change(other, COMPLETED);
    await barrier.done;
    await until(() => reads.flat().filter((one) => one === id).length >= 2);
    const { received, done } = collect(iterator);
    await done;
    expect(received.at(-1)).toBe("COMPLETED 10");
    expect(received).toHaveLength(2);
  });

  it("costs one read for each change, however many watch, and none of 500 misses the end", async () => {
    const id = await start();
    const iterators = await Promise.all(Array.from({ length: 500 }, () => watching.operation("a", id)));
    const collected = iterators.map(collect);
    await until(() => sessions(HAS_READ).then((count) => count === 1));
    await until(() => collected.every(({ received }) => received.length === 1));
    expect(reads.length).toBeLessThan(5);
    await change(id, { row_count: 4 });
    await until(() => collected.every(({ received }) => received.length === 2));
    // What the connection reads when it begins to listen may come after the change.
    await until(async () => {
      const count = reads.length;
      await sleep(THROTTLED_MS);
      return reads.length === count;
    });
    const before = reads.length;
    await change(id, { row_count: 5 });
    await until(() => collected.every(({ received }) => received.length === 3));
    await change(id, COMPLETED);
    await Promise.all(collected.map(({ done }) => done));
    const expected = ["RUNNING 0", "RUNNING 4", "RUNNING 5", "COMPLETED 10"];
    expect(collected.map(({ received }) => received)).toEqual(Array(500).fill(expected));
    expect(reads.slice(before)).toEqual([[id], [id]]);
  });

  it("opens one connection, for the first watcher", async () => {
    expect(await sessions("true")).toBe(0);
    for (let i = 0; i < 3; i++) await watching.operation("a", await start());
    await until(() => sessions(HAS_READ).then((count) => count === 1));
    expect(await sessions("true")).toBe(1);
  });

  it("misses nothing while the connection for notifications is lost", async () => {
    const running = await start();
    const ending = await start();
    const watchers = [await watching.operation("a", running), await watching.operation("a", ending)].map(collect);
    await until(() => sessions(HAS_READ).then((count) => count === 1));
    await cut();
    await changeUnnoticed(ending, "FAILED");
    await watchers[1]?.done;
    await until(() => sessions(HAS_READ).then((count) => count === 1));
    await change(running, COMPLETED);
    await watchers[0]?.done;
    expect(watchers.map(({ received }) => received)).toEqual([
      ["RUNNING 0", "COMPLETED 10"],
      ["RUNNING 0", "FAILED 0"],
    ]);
  });

  it("fails for an unknown operation, a malformed id, and an operation of another key", async () => {
    const id = await start("a");
    const unknown = "00000000-0000-4000-8000-000000000000";
    for (const one of [id, unknown, "1"])
      await expect(watching.operation("b", one)).rejects.toMatchObject({
        code: "NOT_FOUND",
        message: `operation "${one}" does not exist`,
      });
    const open = await start("");
    expect(await watching.operation("b", open)).toBeDefined();
  });

  it("ends with a failure if the operation is deleted before its end was seen", async () => {
    const id = await start();
    const { received, done } = collect(await watching.operation("a", id));
    await until(() => sessions(HAS_READ).then((count) => count === 1));
    await database.pool.query("DELETE FROM operations");
    await cut();
    await done;
    expect(received).toEqual(["RUNNING 0", "NOT_FOUND"]);
  });

  it("reads nothing for a watcher that has gone", async () => {
    const gone = await start();
    const kept = await start();
    const iterator = await watching.operation("a", gone);
    const barrier = collect(await watching.operation("a", kept));
    await until(() => sessions(HAS_READ).then((count) => count === 1));
    await iterator.return();
    const before = reads.length;
    await change(gone, COMPLETED);
    await change(kept, COMPLETED);
    await barrier.done;
    expect(reads.slice(before)).toEqual([[kept]]);
  });

  it.each(["", "no json", "null", '{"operationId":1,"owner":"a"}'])(
    "survives an invalid notification: %s",
    async (payload) => {
      const id = await start();
      const { done } = collect(await watching.operation("a", id));
      await until(() => sessions(HAS_READ).then((count) => count === 1));
      await database.pool.query("SELECT pg_notify('moraine_operations', $1)", [payload]);
      await change(id, COMPLETED);
      await done;
    },
  );

  it("ends with a failure when the service shuts down", async () => {
    const { received, done } = collect(await watching.operation("a", await start()));
    const ofOwner = collect(await watching.operationsOf({ owner: "a" }));
    await watching[Symbol.asyncDispose]();
    await Promise.all([done, ofOwner.done]);
    expect([received, ofOwner.received]).toEqual([
      ["RUNNING 0", "UNAVAILABLE"],
      ["RUNNING 0", "UNAVAILABLE"],
    ]);
  });
});

describe("watching all operations of an owner", () => {
  it("begins with those that run, then sends the changes of all, without those of others", async () => {
    const ended = await start();
    const first = await start();
    const second = await start();
    const others = await start("b");
    await change(ended, COMPLETED);
    await change(second, { row_count: 2 });
    const { received } = collect(await watching.operationsOf({ owner: "a" }));
    await until(() => received.length === 2);
    expect(received.splice(0).sort()).toEqual(["RUNNING 0", "RUNNING 2"]);
    await until(() => sessions(HAS_READ).then((count) => count === 1));
    await change(others, COMPLETED);
    await start();
    await until(() => received.length === 1);
    await change(first, COMPLETED);
    await until(() => received.length === 2);
    await change(second, { ...COMPLETED, row_count: 3 });
    await until(() => received.length === 3);
    expect(received).toEqual(["RUNNING 0", "COMPLETED 10", "COMPLETED 3"]);
  });

  it("misses no operation that started and ended while the connection was lost, and sends no old one again", async () => {
    const old = await start();
    const watched = await start();
    await change(old, COMPLETED);
    const { received } = collect(await watching.operationsOf({ owner: "a" }));
    await until(() => sessions(HAS_READ).then((count) => count === 1));
    await change(watched, COMPLETED);
    await until(() => received.length === 2);
    // As if it started and ended between the cut and the next connection, which can be faster than this test.
    const short = await start("b");
    await changeUnnoticed(short, "FAILED", "a");
    await cut();
    await until(() => received.includes("FAILED 0"));
    await start();
    await until(() => received.at(-1) === "RUNNING 0");
    expect(received.filter((text) => text.startsWith("COMPLETED"))).toEqual(["COMPLETED 10"]);
  });
});
