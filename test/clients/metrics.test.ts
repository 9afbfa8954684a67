import type { TimeIntervalGranularity } from "@avalanche-sdk/chainkit/models/components";
import { BadRequestError, NotFoundError, ServiceUnavailableError } from "@avalanche-sdk/chainkit/models/errors";
import { DAY_METRICS, INTERVALS, PERIOD_METRICS } from "../conformance/chain-metric.ts";
import type { TestDatabase } from "../support/database/database.ts";
import {
  createMetricsDatabase,
  GENESIS_CHAIN,
  METRICS_BLOCKS,
  METRICS_CHAIN,
  METRICS_CONFIG,
} from "../support/indexed/metrics-chain.ts";
import { expectedPeriods, expectedValues } from "../support/oracle/metrics-oracle.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { createOfficialClient } from "./official-client.ts";

let database: TestDatabase;
let stack: Stack;
beforeAll(async () => {
  database = await createMetricsDatabase();
  stack = await startStack({ database, config: METRICS_CONFIG });
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

type Metric = (typeof PERIOD_METRICS)[number] | (typeof DAY_METRICS)[number] | "maxTps";

interface Query {
  readonly metric: Metric;
  readonly timeInterval?: TimeIntervalGranularity;
  readonly pageSize?: number;
  readonly startTimestamp?: number;
  readonly endTimestamp?: number;
}

/** All values that the official client returns for a metric. */
async function valuesOf(query: Query, chainId = METRICS_CHAIN) {
  const client = createOfficialClient({ chainId });
  const values: { readonly timestamp: number; readonly value: number }[] = [];
  for await (const { result } of await client.metrics.chains.getMetrics(query, { serverURL: `${stack.url}/hosted` }))
    values.push(...result.results);
  return values;
}

describe("metrics.chains.getMetrics of @avalanche-sdk/chainkit", () => {
  it.each([...PERIOD_METRICS, ...DAY_METRICS])("returns %s of every day", async (metric) => {
    const days = expectedPeriods(METRICS_BLOCKS, "DAY");
    const values = expectedValues(metric, days, METRICS_BLOCKS);
    expect(await valuesOf({ metric, pageSize: 90 })).toEqual(
      days.map(({ periodStart }, index) => ({ timestamp: periodStart, value: values[index] })),
    );
  });

  it.each(Object.entries(INTERVALS))("returns the transactions of every %s of a range", async (name, interval) => {
    const startTimestamp = (METRICS_BLOCKS.at(-1)?.seconds ?? 0) - 30 * 86_400;
    const timeInterval = name as TimeIntervalGranularity; // a key of the table, which has the client's names
    const expected = expectedPeriods(METRICS_BLOCKS, interval).filter(
      ({ periodStart }) => periodStart >= startTimestamp,
    );
    expect(await valuesOf({ metric: "txCount", timeInterval, startTimestamp, pageSize: 500 })).toEqual(
      expected.map(({ periodStart, transactions }) => ({ timestamp: periodStart, value: Number(transactions) })),
    );
  });

  it("throws the class of each error", async () => {
    await expect(valuesOf({ metric: "maxTps" })).rejects.toBeInstanceOf(BadRequestError);
    await expect(valuesOf({ metric: "avgTps", timeInterval: "hour" })).rejects.toMatchObject({
      data$: { message: ['timeInterval must be day for avgTps, got "hour"'], statusCode: 400 },
    });
    await expect(valuesOf({ metric: "avgTps" }, "1")).rejects.toBeInstanceOf(NotFoundError);
    await expect(valuesOf({ metric: "avgTps" }, GENESIS_CHAIN)).rejects.toBeInstanceOf(ServiceUnavailableError);
  });
});
