import { createTestDatabase } from "../../../test/support/database/database.ts";
import { Failure } from "../../errors/errors.ts";
import { createLogger } from "../../observability/logger.ts";
import { createLocalCounters, type RateCounters } from "../rate-counters.ts";
import { startSharedCounters } from "../shared-rate-counters.ts";
import type { Caller } from "./callers.ts";
import { createRateLimit } from "./rate-limit.ts";

const START_MS = 20_000 * 86_400_000;

const callerWith = (minute: number, day: number): Caller => ({
  id: "key any",
  limits: { minute, day },
  networks: null,
  apiKey: null,
});

/** The headers of a charge, and the error. */
async function charged(counters: RateCounters, caller: Caller, units: number, ms = START_MS) {
  const headers: string[] = [];
  let code = "";
  try {
    await createRateLimit(counters, () => ms)(caller, units, headers);
  } catch (error) {
    code = String(error);
  }
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : []));
  return { code, ...Object.fromEntries(pairs) };
}

describe("a rate limit", () => {
  it("has a minute and a day; the older headers describe the one with the fewest units left", async () => {
    const counters = createLocalCounters();
    expect(await charged(counters, callerWith(10, 25), 9)).toEqual({
      code: "",
      "ratelimit-policy": '"minute";q=10;w=60, "day";q=25;w=86400',
      ratelimit: '"minute";r=1;t=60, "day";r=16;t=86400',
      "ratelimit-limit": "10",
      "ratelimit-remaining": "1",
    });
    expect(await charged(counters, callerWith(10, 25), 10, START_MS + 60_000)).toMatchObject({
      code: "",
      ratelimit: '"minute";r=0;t=60, "day";r=6;t=86340',
    });
    expect(await charged(counters, callerWith(10, 25), 7, START_MS + 120_000)).toMatchObject({
      code: expect.stringContaining("the limit of 25 compute units per day is used up, try again in 86280 s"),
      ratelimit: '"minute";r=10;t=60, "day";r=6;t=86280',
      "ratelimit-limit": "25",
      "ratelimit-remaining": "6",
      "ratelimit-reset": "86280",
      "retry-after": "86280",
    });
    expect(await charged(counters, callerWith(10, 25), 7, START_MS + 86_400_000)).toMatchObject({ code: "" });
  });

  it("charges nothing for a request that is refused after the wait for the usage of other processes", async () => {
    const counters = createLocalCounters();
    let isConfirmed = false;
    const exchange = async () => {
      isConfirmed = true;
    };
    const minute = { ...counters.minute, unconfirmed: () => (isConfirmed ? 0 : 10) };
    const charge = createRateLimit({ ...counters, minute, exchange }, () => START_MS);
    const headers: string[] = [];
    const refused = charge(callerWith(10, 25), 5, headers, () => new Failure("UNAVAILABLE", "overloaded"));
    await expect(refused).rejects.toThrow("overloaded");
    expect(headers).toEqual([]);
    expect(await charged(counters, callerWith(10, 25), 10)).toMatchObject({ code: "" });
  });

  it("says that a request can never succeed if it costs more than a whole limit, and names no time to wait", async () => {
    const counters = createLocalCounters();
    await charged(counters, callerWith(10, 25), 10);
    const refused = await charged(counters, callerWith(10, 25), 20);
    expect(refused).toMatchObject({
      code: expect.stringContaining(
        "this request costs 20 compute units, more than the limit of 10 per minute: it can never succeed with this limit",
      ),
      "ratelimit-reset": "60",
    });
    expect(refused).not.toHaveProperty("retry-after");
    expect(await charged(counters, callerWith(100, 15), 20)).toMatchObject({
      code: expect.stringContaining("more than the limit of 15 per day: it can never succeed"),
    });
  });

  it.each([
    ["minute", callerWith(6_000, 0)],
    ["day", callerWith(0, 6_000)],
  ])("of a %s is shared by two replicas within 5 %%, however fast the caller is", async (_, caller) => {
    await using database = await createTestDatabase();
    const options = { databaseUrl: database.url, logger: createLogger("silent"), nowMs: () => START_MS };
    await using one = startSharedCounters(options);
    await using other = startSharedCounters(options);
    const replicas = [one, other].map((counters) => createRateLimit(counters, () => START_MS));
    const granted = await Promise.all(
      Array.from({ length: 1_600 }, async (_, at) => {
        try {
          await replicas[at % 2]?.(caller, 10, []);
          return 10;
        } catch {
          return 0;
        }
      }),
    );
    const sum = granted.reduce<number>((total, units) => total + units, 0);
    expect(sum).toBeGreaterThanOrEqual(5_700);
    expect(sum).toBeLessThanOrEqual(6_300);
  });
  it.each([
    [
      "one after the other",
      async (charges: readonly (() => Promise<number>)[]) => {
        let sum = 0;
        for (const charge of charges) sum += await charge();
        return sum;
      },
    ],
    [
      "at the same time",
      async (charges: readonly (() => Promise<number>)[]) =>
        (await Promise.all(charges.map((charge) => charge()))).reduce((total, units) => total + units, 0),
    ],
  ])("is not exceeded by large requests that a caller sends to two replicas %s", async (_, sumOf) => {
    await using database = await createTestDatabase();
    const options = { databaseUrl: database.url, logger: createLogger("silent"), nowMs: () => START_MS };
    {
      await using one = startSharedCounters(options);
      await using other = startSharedCounters(options);
      const replicas = [one, other].map((counters) => createRateLimit(counters, () => START_MS));
      const charges = Array.from({ length: 12 }, (_, at) => async () => {
        try {
          await replicas[at % 2]?.(callerWith(500, 0), 100, []);
          return 100;
        } catch {
          return 0;
        }
      });
      expect(await sumOf(charges)).toBe(500);
    }
    // Units of refused requests are taken back.
    const { rows } = await database.pool.query("SELECT units FROM rate_usage WHERE window_seconds = 60");
    expect(rows).toEqual([{ units: "500" }]);
  });

  it("tells a caller whose request another replica has made too large what remains, and takes nothing for it", async () => {
    await using database = await createTestDatabase();
    const options = { databaseUrl: database.url, logger: createLogger("silent"), nowMs: () => START_MS };
    await using one = startSharedCounters(options);
    await using other = startSharedCounters(options);
    expect(await charged(one, callerWith(500, 0), 450)).toMatchObject({ code: "", "ratelimit-remaining": "50" });
    expect(await charged(other, callerWith(500, 0), 100)).toMatchObject({
      code: expect.stringContaining("the limit of 500 compute units per minute is used up"),
      "ratelimit-remaining": "50",
      "retry-after": "60",
    });
    const refusal = () => new Failure("UNAVAILABLE", "overloaded");
    const headers: string[] = [];
    const refused = createRateLimit(other, () => START_MS)(callerWith(500, 0), 50, headers, refusal);
    await expect(refused).rejects.toThrow("overloaded");
    expect(headers).toEqual([]);
    expect(await charged(other, callerWith(500, 0), 50)).toMatchObject({ code: "", "ratelimit-remaining": "0" });
  });

  it("grants again after a refusal when another replica has taken the units of a refused request back", async () => {
    await using database = await createTestDatabase();
    const options = { databaseUrl: database.url, logger: createLogger("silent"), nowMs: () => START_MS };
    await using one = startSharedCounters(options);
    await using other = startSharedCounters(options);
    const caller = callerWith(500, 0);
    const window = START_MS / 60_000;
    other.minute.add(caller.id, window, 450);
    await other.exchange();
    one.minute.add(caller.id, window, 45);
    await one.exchange();
    // Between the two exchanges, the other replica takes back units that the first one knows.
    other.minute.add(caller.id, window, -400);
    await other.exchange();
    expect(await charged(one, caller, 6)).toMatchObject({ code: expect.stringContaining("is used up") });
    await one.exchange();
    expect(await charged(one, caller, 6)).toMatchObject({ code: "", "ratelimit-remaining": "399" });
  });
});
