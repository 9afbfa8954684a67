import type { IncomingMessage, ServerResponse } from "node:http";
import { CURRENCIES } from "../../core/networks/prices.ts";
import { listen } from "../../test/support/node/listen.ts";
import { type CoinGecko, createCoinGecko } from "./coin-gecko.ts";
import type { PriceRow, PriceSource } from "./source.ts";

const NOW = 1_700_000_000;

interface Api extends AsyncDisposable {
  readonly client: CoinGecko;
  /** The URLs of the requests, decoded. */
  readonly requests: URL[];
  /** The client's warnings about answers. */
  readonly warnings: string[];
  readonly headers: IncomingMessage["headers"][];
}

type Answer = (response: ServerResponse, url: URL, request: number) => void;

/** An API whose answers the test gives, and a client of it. */
async function startApi(answer: Answer, options: { timeoutMs?: number; path?: string } = {}): Promise<Api> {
  const requests: URL[] = [];
  const warnings: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const server = await listen((request, response) => {
    const url = new URL(request.url ?? "", "http://prices");
    headers.push(request.headers);
    answer(response, url, requests.push(url));
  });
  const client = createCoinGecko({
    url: server.url + (options.path ?? ""),
    headers: { "x-cg-demo-api-key": "mine" },
    signal: new AbortController().signal,
    warn: (message) => warnings.push(message),
    timeoutMs: options.timeoutMs ?? 5_000,
    nowSeconds: () => NOW,
  });
  return {
    client,
    requests,
    warnings,
    headers,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function rowsOf(source: PriceSource): Promise<PriceRow[]> {
  const rows: PriceRow[] = [];
  for await (const batch of source.batches()) rows.push(...batch);
  return rows;
}

const short = ({ asset, currency, timestamp, value }: PriceRow) => `${asset} ${currency} ${timestamp} ${value}`;

const answers =
  (text: string): Answer =>
  (response) =>
    response.end(text);

describe("the current prices of a CoinGecko-compatible API", () => {
  it("are requested for all currencies at once, with the configured headers, below the path of the URL", async () => {
    await using api = await startApi(answers("{}"), { path: "/api/v3/" });
    await rowsOf(api.client.current(["avalanche-2", "usd coin/&"]));
    const [url] = api.requests as [URL];
    expect([api.requests.length, url.pathname]).toEqual([1, "/api/v3/simple/price"]);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ids: "avalanche-2,usd coin/&",
      vs_currencies: CURRENCIES.join(","),
      include_last_updated_at: "true",
      precision: "full",
    });
    expect(api.headers[0]).toMatchObject({ "x-cg-demo-api-key": "mine", accept: "application/json" });
  });

  it("keep every digit of the answer, without exponents, at the time that the API gives", async () => {
    await using api = await startApi(
      answers(`{"a": {"usd": 1e-7, "eur": 12345678901234567.123456789012345678, "jpy":0, "last_updated_at": 1699999990},
        "b": {"nzd": 2.50E+3}}`),
    );
    expect((await rowsOf(api.client.current(["a", "b"]))).map(short)).toEqual([
      "a usd 1699999990 0.0000001",
      "a eur 1699999990 12345678901234567.123456789012345678",
      "a jpy 1699999990 0",
      `b nzd ${NOW} 2500`,
    ]);
    expect(api.warnings).toEqual([]);
  });

  it("are requested for a hundred ids at a time", async () => {
    await using api = await startApi((response, url) => {
      const ids = url.searchParams.get("ids")?.split(",") ?? [];
      response.end(JSON.stringify(Object.fromEntries(ids.map((id) => [id, { usd: 1 }]))));
    });
    const assets = Array.from({ length: 250 }, (_, at) => `coin-${at}`);
    expect((await rowsOf(api.client.current(assets))).map(({ asset }) => asset)).toEqual(assets);
    expect(api.requests.map((url) => url.searchParams.get("ids")?.split(",").length)).toEqual([100, 100, 50]);
  });

  it("leave out missing, null and invalid prices, and warn of invalid ones", async () => {
    await using api = await startApi(
      answers(`{"a": {"usd": null, "eur": 1, "aud": "2", "cad": -3, "chf": 1e31, "clp": {"text":"1","isNumber":true}, "cny": [4]},
        "b": {"usd": 1, "last_updated_at": 1700000000000}, "c": {"usd": 1, "last_updated_at": -5},
        "d": [1], "__proto__": {"usd": 6}, "unasked": {"usd": 7}}`),
    );
    const rows = await rowsOf(api.client.current(["a", "b", "c", "d", "e", "toString"]));
    expect(rows.map(short)).toEqual([`a eur ${NOW} 1`]);
    expect(api.warnings).toEqual([
      'the source of prices gave an invalid price for: a aud: "2"; a cad: "-3"; a chf: "1e31" and 2 more',
      'the source of prices gave an invalid time for: b: "1700000000000"; c: "-5"',
      "the source of prices does not know: d; e; toString",
    ]);
  });

  it.each<[answer: string, how: Answer, message: RegExp]>([
    ["HTML", answers("<html>sorry</html>"), /gave an answer that is not a JSON object: "<html>sorry<\/html>"$/],
    ["an array", answers("[1]"), /gave an answer that is not a JSON object/],
    ["half an object", answers('{"a": {"usd": 1'), /gave an answer that is not a JSON object/],
    ["nothing", answers(""), /gave an answer that is not a JSON object: ""$/],
    ["a number that JSON does not know", answers('{"a": {"usd": NaN}}'), /gave an answer that is not a JSON object/],
    ["500", (response) => response.writeHead(500).end("{}"), /answered HTTP 500 to \/simple\/price$/],
    ["a redirect", (response) => response.writeHead(302, { location: "/x" }).end(), /answered HTTP 302/],
    ["a cut connection", (response) => response.destroy(), /gave no answer: /],
    ["nothing in time", () => {}, /gave no answer within 300 ms$/],
    ["a body without end", (response) => response.write("{"), /gave no answer within 300 ms$/],
  ])("fail with a message that names the problem: %s", async (_, answer, message) => {
    await using api = await startApi(answer, { timeoutMs: 300 });
    await expect(rowsOf(api.client.current(["a"]))).rejects.toThrow(message);
  });

  it.each([
    ["7", 7_000],
    ["0", 1],
    ["the date in a minute", 60_000],
    ["soon", 60_000],
    [undefined, 60_000],
    ["999999999", 3_600_000],
  ])("refused by a rate limit with retry-after %s fail with a wait of %i ms", async (written, ms) => {
    const inAMinute = () => new Date(Date.now() + 60_000).toUTCString();
    await using api = await startApi((response) => {
      const retryAfter = written?.startsWith("the date") ? inAMinute() : written;
      response.writeHead(429, retryAfter === undefined ? {} : { "retry-after": retryAfter }).end();
    });
    const error = await rowsOf(api.client.current(["a"])).catch((caught: unknown) => caught);
    const { retryAfterMs } = error as { retryAfterMs: number };
    expect(Math.abs(retryAfterMs - ms)).toBeLessThan(2_000);
  });
});

describe("the past prices of a CoinGecko-compatible API", () => {
  it("are requested per currency, with times in whole seconds", async () => {
    await using api = await startApi(
      answers('{"prices": [[1699999990999, 1.5e-9], [1700000000000, 2]], "market_caps": []}'),
    );
    const rows = await rowsOf(api.client.history("an asset/x", 10, 20));
    expect(api.requests.map((url) => url.searchParams.get("vs_currency"))).toEqual([...CURRENCIES]);
    expect(api.requests[0]?.pathname).toBe("/coins/an%20asset%2Fx/market_chart/range");
    expect(Object.fromEntries(api.requests[0]?.searchParams ?? [])).toMatchObject({ from: "10", to: "20" });
    expect(rows.slice(0, 2).map(short)).toEqual([
      "an asset/x usd 1699999990 0.0000000015",
      "an asset/x usd 1700000000 2",
    ]);
    expect(rows).toHaveLength(28);
  });

  it("leave out invalid points, and warn of them", async () => {
    await using api = await startApi(
      answers('{"prices": [[1, 2], [3000, null], 4, ["5000", 6], [7000, "8"], [9000, 10]]}'),
    );
    const rows = await rowsOf(api.client.history("a", 0, 9));
    expect(rows.filter(({ currency }) => currency === "usd").map(short)).toEqual(["a usd 0 2", "a usd 9 10"]);
    expect(api.warnings.slice(0, 2)).toEqual([
      'the source of prices gave an invalid time for: a usd: undefined; a usd: "5000"',
      'the source of prices gave an invalid price for: a usd: "8"',
    ]);
  });

  it("are requested again after the API's retry-after if its rate limit refuses", async () => {
    await using api = await startApi((response, _, request) =>
      request <= 2 ? response.writeHead(429, { "retry-after": "0" }).end() : response.end('{"prices":[]}'),
    );
    expect(await rowsOf(api.client.history("a", 0, 9))).toEqual([]);
    expect(api.requests).toHaveLength(2 + 14);
  });

  it.each([
    [(response: ServerResponse) => response.writeHead(429, { "retry-after": "0" }).end(), 6, "answered HTTP 429"],
    [
      (response: ServerResponse) => response.writeHead(404).end(),
      1,
      "answered HTTP 404 to /coins/a/market_chart/range",
    ],
    [answers('{"error": "x"}'), 1, 'answered without prices of "a"'],
  ])("fail after %#", async (answer, requests, message) => {
    await using api = await startApi(answer);
    await expect(rowsOf(api.client.history("a", 0, 9))).rejects.toThrow(message);
    expect(api.requests).toHaveLength(requests);
  });
});
