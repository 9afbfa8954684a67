import type { RequestListener } from "node:http";
import { Writable } from "node:stream";
import pino from "pino";
import { createRecordingClock, type RecordingClock } from "../../test/support/clock.ts";
import { testConfig } from "../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { startMetrics } from "../../test/support/metrics.ts";
import { listen } from "../../test/support/node/listen.ts";
import { pollPrices } from "./poll.ts";

const CHAIN = {
  chainId: 7,
  network: "fuji",
  nodeUrl: "http://127.0.0.1:1",
  chainName: "Any",
  networkToken: { priceId: "coin" },
  tokenPriceIds: { [`0x${"1".repeat(40)}`]: "token" },
};

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

interface Polling extends AsyncDisposable {
  /** Messages of its log. */
  readonly messages: string[];
  readonly clock: RecordingClock;
  readonly ended: Promise<void>;
}

function startPolling(url: string | undefined, chain: object = CHAIN): Polling {
  const config = testConfig({ evmChains: [chain], prices: { ...(url ? { url } : {}), pollIntervalMs: 30 } });
  const messages: string[] = [];
  const clock = createRecordingClock(30);
  const sink = new Writable({
    write(line, _, done) {
      messages.push((JSON.parse(String(line)) as { msg: string }).msg);
      done();
    },
  });
  const stop = new AbortController();
  const ended = pollPrices({
    config,
    databaseUrl: database.url,
    logger: pino({ level: "info" }, sink),
    stop: stop.signal,
    clock,
  });
  return {
    messages,
    clock,
    ended,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the test is over"));
      await ended;
    },
  };
}

async function prices(): Promise<string[]> {
  const { rows } = await database.pool.query<{ row: string }>(
    "SELECT concat_ws(' ', asset, currency, timestamp, trim_scale(value)) AS row FROM prices ORDER BY asset, timestamp",
  );
  return rows.map(({ row }) => row);
}

/** An API whose answer a test changes. */
async function startApi(first: RequestListener) {
  const state = { answer: first, requests: 0 };
  const server = await listen((request, response) => {
    state.requests++;
    state.answer(request, response);
  });
  return Object.assign(server, { state });
}

const priceOf =
  (usd: number, at: number): RequestListener =>
  (_, response) =>
    response.end(JSON.stringify({ coin: { usd, last_updated_at: at }, token: { usd: 1, last_updated_at: 1 } }));

const AT = 1_700_000_000;

describe("the polling of prices", () => {
  it("shows when the source has last answered, and nothing before", async () => {
    const registry = await startMetrics();
    const polledAt = async () =>
      (await registry.getSingleMetric("moraine_prices_polled_timestamp_seconds")?.get())?.values;
    await using api = await startApi((_, response) => response.writeHead(503).end());
    await using _polling = startPolling(api.url);
    await until(
      async () => api.state.requests,
      (requests) => requests > 0,
      "a failure",
    );
    expect(await polledAt()).toEqual([]);
    api.state.answer = priceOf(1.5, AT);
    const before = Math.floor(Date.now() / 1_000);
    const [answered] = (await until(polledAt, (values) => values?.length === 1, "an answer")) ?? [];
    expect(answered?.value).toBeGreaterThanOrEqual(before);
  });

  it("stores the source's prices with every poll, and none twice", async () => {
    await using api = await startApi(priceOf(1.5, AT));
    await using _polling = startPolling(api.url);
    await until(prices, (rows) => rows.length === 2, "the first prices");
    api.state.answer = priceOf(2.5, AT + 60);
    await until(prices, (rows) => rows.length === 3, "the next prices");
    expect(await prices()).toEqual([`coin usd ${AT} 1.5`, `coin usd ${AT + 60} 2.5`, "token usd 1 1"]);
  });

  it("continues after an outage, an invalid answer and a lost database session, and logs them", async () => {
    await using api = await startApi((_, response) => response.writeHead(503).end());
    await using polling = startPolling(api.url);
    const saw = (words: string) =>
      until(
        async () => polling.messages.join("\n"),
        (text) => text.includes(words),
        words,
      );
    await saw("the source of prices answered HTTP 503 to /simple/price");
    api.state.answer = (_, response) => response.end("<html>");
    await until(
      async () => api.state.requests,
      (requests) => requests > 5,
      "further failures",
    );
    expect(await prices()).toEqual([]);
    await database.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'moraine writer prices' AND datname = current_database()",
    );
    api.state.answer = priceOf(3, AT);
    await until(prices, (rows) => rows.length === 2, "prices again");
    await saw("the polling of prices works again");
    expect(polling.messages).toEqual([
      "the polling of prices fails and is tried again: the source of prices answered HTTP 503 to /simple/price",
      expect.stringMatching(/^the polling of prices works again after \d+ s and (?!1 )\d+ failures$/),
    ]);
  });

  it("waits for the source's retry-after", async () => {
    await using api = await startApi((_, response) => response.writeHead(429, { "retry-after": "900" }).end());
    await using polling = startPolling(api.url);
    await until(
      async () => polling.clock.sleeps.length,
      (sleeps) => sleeps > 0,
      "the first wait",
    );
    api.state.answer = priceOf(1, AT);
    await until(prices, (rows) => rows.length === 2, "prices");
    expect(Math.max(...polling.clock.sleeps)).toBe(900_000);
    expect(polling.messages[0]).toBe(
      "the polling of prices fails and is tried again: the source of prices answered HTTP 429 to /simple/price",
    );
  });

  it("is done by one process at a time, and by another once that ends", async () => {
    await using first = await startApi(priceOf(1, AT));
    await using second = await startApi(priceOf(2, AT + 1));
    const one = startPolling(first.url);
    await until(prices, (rows) => rows.length === 2, "the first's prices");
    await using _two = startPolling(second.url);
    const before = first.state.requests;
    await until(
      async () => first.state.requests,
      (requests) => requests > before + 5,
      "more requests to the first",
    );
    expect(second.state.requests).toBe(0);
    await one[Symbol.asyncDispose]();
    await until(prices, (rows) => rows.length === 3, "the second's prices");
  });

  it("logs an unknown asset once, not with every poll", async () => {
    await using api = await startApi((_, response) => response.end('{"coin":{"usd":1}}'));
    await using polling = startPolling(api.url);
    await until(
      async () => api.state.requests,
      (requests) => requests > 4,
      "some rounds",
    );
    expect(polling.messages).toEqual(["the source of prices does not know: token"]);
  });

  it.each([
    ["a URL", false, CHAIN],
    ["an asset that has an id", true, { ...CHAIN, networkToken: {}, tokenPriceIds: {} }],
  ])("ends at once without %s, without a request or a lock", async (_, hasUrl, chain) => {
    await using api = await startApi(priceOf(1, AT));
    await using polling = startPolling(hasUrl ? api.url : undefined, chain);
    await polling.ended;
    const { rows } = await database.pool.query(
      "SELECT FROM pg_stat_activity WHERE application_name = 'moraine writer prices' AND datname = current_database()",
    );
    expect([api.state.requests, rows.length]).toEqual([0, 0]);
  });
});
