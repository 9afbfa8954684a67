import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { createLogger } from "../observability/logger.ts";
import { startSharedCounters } from "./shared-rate-counters.ts";

const logger = createLogger("silent");
const WINDOW = 7;

let database: TestDatabase;
let nowMs: number;
beforeEach(async () => {
  nowMs = WINDOW * 60_000;
  database = await createTestDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

const start = (databaseUrl = database.url) =>
  startSharedCounters({ databaseUrl, logger, nowMs: () => nowMs, syncMs: 10 });

/** Waits up to five seconds until `read` returns the expected value. */
async function until<Value>(read: () => Value | Promise<Value>, expected: Value): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if ((await read()) === expected) return;
    await sleep(10);
  }
  expect(await read()).toBe(expected);
}

async function stored(): Promise<string> {
  const { rows } = await database.pool.query("SELECT caller, window_number, units FROM rate_usage ORDER BY 1, 2");
  return JSON.stringify(rows);
}

describe("shared rate counters", () => {
  it("of several processes add up to one sum", async () => {
    await using one = start();
    await using two = start();
    one.minute.add("a", WINDOW, 10);
    two.minute.add("a", WINDOW, 5_000);
    await until(stored, '[{"caller":"a","window_number":"7","units":"5010"}]');
    await until(() => one.minute.add("a", WINDOW, 1) > 5_010, true);
  });

  it("count correctly while several processes add units for many callers", async () => {
    const callers = Array.from({ length: 200 }, (_, at) => `caller ${at}`);
    const processes = Array.from({ length: 4 }, () => start());
    for (let round = 0; round < 20; round++) {
      for (const counters of processes) for (const caller of callers.reverse()) counters.minute.add(caller, WINDOW, 1);
      await sleep(5);
    }
    await Promise.all(processes.map((counters) => counters[Symbol.asyncDispose]()));
    const { rows } = await database.pool.query("SELECT units, count(*)::int AS callers FROM rate_usage GROUP BY 1");
    expect(rows).toEqual([{ units: "80", callers: 200 }]);
  });

  it("delete the rows of past windows", async () => {
    await using counters = start();
    counters.minute.add("a", WINDOW, 10);
    await until(stored, '[{"caller":"a","window_number":"7","units":"10"}]');
    nowMs += 120_000;
    await until(stored, "[]");
  });

  it("count locally while the database is unavailable, and send all units afterwards", async () => {
    await using counters = start();
    await database.pool.query("ALTER TABLE rate_usage RENAME TO away");
    counters.minute.add("a", WINDOW, 10);
    await sleep(50);
    expect(counters.minute.add("a", WINDOW, 1)).toBe(11);
    await database.pool.query("ALTER TABLE away RENAME TO rate_usage");
    await until(stored, '[{"caller":"a","window_number":"7","units":"11"}]');
    expect(counters.minute.add("a", WINDOW, 1)).toBe(12);
  });

  it("count locally if the database is never available", async () => {
    await using counters = start("postgres://127.0.0.1:1/none");
    expect(counters.minute.add("a", WINDOW, 10)).toBe(10);
    await sleep(50);
    expect(counters.minute.add("a", WINDOW, 10)).toBe(20);
  });
});
