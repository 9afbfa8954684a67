import type { RequestListener } from "node:http";
import { Writable } from "node:stream";
import pino from "pino";
import { testConfig } from "../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { listen } from "../../test/support/node/listen.ts";
import { keepPricing } from "./poll.ts";

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
  readonly said: string[];
  readonly ended: Promise<void>;
}

function startPolling(url: string | undefined, chain: object = CHAIN, pollIntervalMs = 30): Polling {
  const config = testConfig({ evmChains: [chain], prices: { ...(url ? { url } : {}), pollIntervalMs } });
  const said: string[] = [];
  const sink = new Writable({
    write(line, _, done) {
      said.push((JSON.parse(String(line)) as { msg: string }).msg);
      done();
    },
  });
  const stop = new AbortController();
  const ended = keepPricing({
    config,
    databaseUrl: database.url,
    logger: pino({ level: "warn" }, sink),
    stop: stop.signal,
  });
  return {
    said,
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

/** An API whose answer a test changes; counts what it is asked. */
async function startApi(first: RequestListener) {
  const state = { answer: first, asked: 0 };
  const server = await listen((request, response) => {
    state.asked++;
    state.answer(request, response);
  });
  return Object.assign(server, { state });
}

const says =
  (usd: number, at: number): RequestListener =>
  (_, response) =>
    response.end(JSON.stringify({ coin: { usd, last_updated_at: at }, token: { usd: 1, last_updated_at: 1 } }));

const AT = 1_700_000_000;

describe("the polling of prices", () => {
  it("writes what the source has, each time anew, and nothing twice", async () => {
    await using api = await startApi(says(1.5, AT));
    await using _polling = startPolling(api.url);
    await until(prices, (rows) => rows.length === 2, "the first prices");
    api.state.answer = says(2.5, AT + 60);
    await until(prices, (rows) => rows.length === 3, "the next prices");
    expect(await prices()).toEqual([`coin usd ${AT} 1.5`, `coin usd ${AT + 60} 2.5`, "token usd 1 1"]);
  });

  it("goes on after an outage, garbage and a database that ends its session, and says each", async () => {
    await using api = await startApi((_, response) => response.writeHead(503).end());
    await using polling = startPolling(api.url);
    const saw = (words: string) =>
      until(
        async () => polling.said.join("\n"),
        (text) => text.includes(words),
        words,
      );
    await saw("the source of prices answered HTTP 503 to /simple/price");
    api.state.answer = (_, response) => response.end("<html>");
    await saw('something that is no JSON object: "<html>"');
    expect(await prices()).toEqual([]);
    await database.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'moraine writer prices' AND datname = current_database()",
    );
    api.state.answer = says(3, AT);
    await until(prices, (rows) => rows.length === 2, "prices again");
  });

  it("leaves a source alone for as long as it asks", async () => {
    await using api = await startApi((_, response) => response.writeHead(429, { "retry-after": "1" }).end());
    await using polling = startPolling(api.url);
    await until(
      async () => polling.said.length,
      (lines) => lines > 0,
      "a line",
    );
    api.state.answer = says(1, AT);
    const at = performance.now();
    await until(prices, (rows) => rows.length === 2, "prices");
    expect(performance.now() - at).toBeGreaterThan(800);
    expect(polling.said).toEqual(["the source of prices answered HTTP 429 to /simple/price"]);
  });

  it("is done by one process at a time, and by another when that ends", async () => {
    await using first = await startApi(says(1, AT));
    await using second = await startApi(says(2, AT + 1));
    const one = startPolling(first.url);
    await until(prices, (rows) => rows.length === 2, "the first's prices");
    await using _two = startPolling(second.url);
    const before = first.state.asked;
    await until(
      async () => first.state.asked,
      (asked) => asked > before + 5,
      "more of the first's questions",
    );
    expect(second.state.asked).toBe(0);
    await one[Symbol.asyncDispose]();
    await until(prices, (rows) => rows.length === 3, "the second's prices");
  });

  it("says once, not each time, that an asset is unknown", async () => {
    await using api = await startApi((_, response) => response.end('{"coin":{"usd":1}}'));
    await using polling = startPolling(api.url);
    await until(
      async () => api.state.asked,
      (asked) => asked > 4,
      "some rounds",
    );
    expect(polling.said).toEqual(["the source of prices does not know: token"]);
  });

  it.each([
    ["a URL", false, CHAIN],
    ["an asset that has an id", true, { ...CHAIN, networkToken: {}, tokenPriceIds: {} }],
  ])("is off without %s: it ends at once, asks nobody and locks nothing", async (_, hasUrl, chain) => {
    await using api = await startApi(says(1, AT));
    await using polling = startPolling(hasUrl ? api.url : undefined, chain);
    await polling.ended;
    const { rows } = await database.pool.query(
      "SELECT FROM pg_stat_activity WHERE application_name = 'moraine writer prices' AND datname = current_database()",
    );
    expect([api.state.asked, rows.length]).toEqual([0, 0]);
  });
});
