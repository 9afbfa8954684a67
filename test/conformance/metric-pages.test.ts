import type { TestDatabase } from "../support/database/database.ts";
import { statementsOf } from "../support/database/statements.ts";
import {
  createMetricsDatabase,
  GENESIS_CHAIN,
  METRICS_BLOCKS,
  METRICS_CHAIN,
  METRICS_CONFIG,
  UNKNOWN_CHAIN,
} from "../support/indexed/metrics-chain.ts";
import { expectedPeriods, expectedValues } from "../support/oracle/metrics-oracle.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { DAY_METRICS, INTERVALS, PERIOD_METRICS } from "./chain-metric.ts";
import { expectContract } from "./contract.ts";

const AVERAGE_TPS = `/v1/avg_tps/${METRICS_CHAIN}`;
const metricPath = (metric: string) => `/v2/chains/${METRICS_CHAIN}/metrics/${metric}`;
const DAY_MS = 86_400_000;

const clock = { nowMs: Date.parse("2030-01-01T00:00:00Z") };
let database: TestDatabase;
let stack: Stack;
beforeAll(async () => {
  database = await createMetricsDatabase();
  stack = await startStack({ database, config: METRICS_CONFIG, nowMs: () => clock.nowMs });
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

interface Page {
  readonly results: readonly { readonly value: number; readonly timestamp: number }[];
  readonly nextPageToken?: string;
}

/** A path of the specification, requested in a dialect that has it. */
async function answerTo(path: string): Promise<{ status: number; body: unknown }> {
  const asked = path.startsWith("/v2") ? `/hosted${path}` : path;
  const { status, body } = await stack.get(asked);
  expectContract("GET", asked, status, body);
  return { status, body };
}

async function pageAt(path: string): Promise<Page> {
  const { status, body } = await answerTo(path);
  expect([path, status]).toEqual([path, 200]);
  return body as Page;
}

async function pagesOf(path: string): Promise<Page[]> {
  const pages = [await pageAt(path)];
  for (let token = pages[0]?.nextPageToken; token; token = pages.at(-1)?.nextPageToken)
    pages.push(await pageAt(`${path}${path.includes("?") ? "&" : "?"}pageToken=${token}`));
  return pages;
}

const refusedToken = [
  400,
  { message: [expect.stringMatching(/^the page token or cursor /)], statusCode: 400, error: "Bad Request" },
] as const;

describe("the pages of E21", () => {
  it("have one hundred days each, newest first, up to the first day of the chain", async () => {
    const days = expectedPeriods(METRICS_BLOCKS, "DAY");
    const pages = await pagesOf(AVERAGE_TPS);
    expect(pages.map(({ results }) => results.length)).toEqual([100, 100, days.length - 200]);
    expect(pages.flatMap(({ results }) => results)).toEqual(
      days.map(({ periodStart, averageTps }) => ({ timestamp: periodStart, value: averageTps })),
    );
    for (const page of pages) expect(page).toMatchObject({ status: 200, lastRun: METRICS_BLOCKS.at(-1)?.seconds });
  });

  it("take one statement, and none for their tokens", async () => {
    const { nextPageToken } = await pageAt(AVERAGE_TPS);
    for (const path of [AVERAGE_TPS, `${AVERAGE_TPS}?pageToken=${nextPageToken}`])
      expect(await statementsOf(() => pageAt(path))).toHaveLength(1);
  });
});

describe("the pages of a metric", () => {
  it.each([...PERIOD_METRICS, ...DAY_METRICS])("%s have every day, for any page size", async (metric) => {
    const days = expectedPeriods(METRICS_BLOCKS, "DAY");
    const values = expectedValues(metric, days, METRICS_BLOCKS);
    const expected = days.map(({ periodStart }, index) => ({ value: values[index], timestamp: periodStart }));
    for (const pageSize of [37, days.length - 1, days.length]) {
      const pages = await pagesOf(`${metricPath(metric)}?pageSize=${pageSize}`);
      expect(pages.flatMap(({ results }) => results)).toEqual(expected);
      expect(pages).toHaveLength(Math.ceil(days.length / pageSize));
    }
  });

  it.each(Object.entries(INTERVALS))("have every %s between the timestamps", async (timeInterval, interval) => {
    const [newest] = expectedPeriods(METRICS_BLOCKS, "DAY");
    const end = newest?.periodStart ?? 0;
    const start = end - 90 * 86_400;
    const periods = expectedPeriods(METRICS_BLOCKS, interval).filter(
      ({ periodStart }) => periodStart >= start && periodStart < end,
    );
    const range = `startTimestamp=${start}&endTimestamp=${end}&timeInterval=${timeInterval}&pageSize=500`;
    const pages = await pagesOf(`${metricPath("gasUsed")}?${range}`);
    expect(pages.flatMap(({ results }) => results)).toEqual(
      periods.map(({ periodStart, gasUsed }) => ({ value: Number(gasUsed), timestamp: periodStart })),
    );
  });

  it("sum up all blocks before the page, also with an endTimestamp", async () => {
    const days = expectedPeriods(METRICS_BLOCKS, "DAY").slice(50);
    for (const metric of ["cumulativeTxCount", "cumulativeAddresses", "cumulativeContracts"]) {
      const end = (days[0]?.periodStart ?? 0) + 1;
      const { results } = await pageAt(`${metricPath(metric)}?endTimestamp=${end}&pageSize=60`);
      const values = expectedValues(metric, days.slice(0, 60), METRICS_BLOCKS);
      expect(results.map(({ value }) => value)).toEqual(values);
    }
  });

  it("have values with all digits, also above 2^53", async () => {
    const { text } = await stack.get(`/hosted${metricPath("feesPaid")}?timeInterval=month&pageSize=20`);
    const fees = expectedPeriods(METRICS_BLOCKS, "MONTH").map(({ feesSpent }) => feesSpent);
    expect([...text.matchAll(/"value":(\d+)/g)].map(([, digits]) => digits)).toEqual(fees);
  });
});

describe("a token of metrics routes", () => {
  it.each([
    ["another chain", () => `/v1/avg_tps/${GENESIS_CHAIN}?`],
    ["another route", () => `${metricPath("avgTps")}?`],
  ])("is refused for %s", async (_, pathOf) => {
    const { nextPageToken } = await pageAt(AVERAGE_TPS);
    const { status, body } = await answerTo(`${pathOf()}pageToken=${nextPageToken}`);
    expect([status, body]).toEqual(refusedToken);
  });

  it("is refused with other parameters, but not with another page size", async () => {
    const path = `${metricPath("txCount")}?startTimestamp=1&timeInterval=day`;
    const { nextPageToken } = await pageAt(`${path}&pageSize=3`);
    const days = expectedPeriods(METRICS_BLOCKS, "DAY");
    const { results } = await pageAt(`${path}&pageSize=5&pageToken=${nextPageToken}`);
    expect(results.map(({ timestamp }) => timestamp)).toEqual(days.slice(3, 8).map(({ periodStart }) => periodStart));
    for (const other of [
      path.replace("txCount", "gasUsed"),
      path.replace("=1&", "=2&"),
      path.replace("=day", "=hour"),
      `${path}&endTimestamp=2000000000`,
    ]) {
      const { status, body } = await answerTo(`${other}&pageToken=${nextPageToken}`);
      expect([other, status, body]).toEqual([other, ...refusedToken]);
    }
  });

  it.each(["x", "%00", "null", "bb29d07a-2bcf-4cb4-a795-5fc6d25655d9", "A".repeat(100)])(
    "is refused if it was never made: %s",
    async (token) => {
      for (const path of [AVERAGE_TPS, metricPath("txCount")]) {
        const { status, body } = await answerTo(`${path}?pageToken=${token}`);
        expect([status, body]).toEqual(refusedToken);
      }
    },
  );

  it("is accepted by another replica, for 24 hours", async () => {
    const { nextPageToken } = await pageAt(AVERAGE_TPS);
    expect(nextPageToken).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    await using replica = await startStack({ database, config: METRICS_CONFIG, nowMs: () => clock.nowMs });
    const path = `${AVERAGE_TPS}?pageToken=${nextPageToken}`;
    clock.nowMs += DAY_MS;
    expect((await replica.get(path)).status).toBe(200);
    clock.nowMs += 1_000;
    const { status, body } = await answerTo(path);
    expect([status, body]).toEqual([
      400,
      {
        message: ["the page token or cursor has expired after 24 hours: start again from the first page"],
        statusCode: 400,
        error: "Bad Request",
      },
    ]);
  });
});

const E20 = `contracts/0x${"ab".repeat(20)}/balances?threshold=0`;

it.each([
  [
    "E20",
    `/v2/chains/${GENESIS_CHAIN}/${E20}`,
    `chain ${GENESIS_CHAIN} is not indexed yet (WAITING): the node refuses it`,
  ],
  [
    "E20",
    `/v2/chains/${UNKNOWN_CHAIN}/${E20}`,
    `chain ${UNKNOWN_CHAIN} is not indexed yet: its indexer has not started`,
  ],
  [
    "E21",
    `/v1/avg_tps/${GENESIS_CHAIN}`,
    `the activity of chain ${GENESIS_CHAIN} is not indexed yet (WAITING): the node refuses it`,
  ],
])("%s answers 503 with the reason for a chain that is not indexed: %s", async (_, path, message) => {
  expect(await answerTo(path)).toEqual({
    status: 503,
    body: { message: [message], statusCode: 503, error: "Service Unavailable" },
  });
});
