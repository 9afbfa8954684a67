import pino from "pino";
import { createAdmission } from "../../core/limits/admission/admission.ts";
import { createLocalCounters } from "../../core/limits/rate-counters.ts";
import { testConfig } from "../../test/support/config.ts";
import { listen } from "../../test/support/node/listen.ts";
import { createSmallGraph } from "../../test/support/small-graph.ts";
import { createRestServer } from "../rest-server.ts";

const HEAVY = "/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=100";
const SETTINGS = { admission: { heavyOperations: 1, waitingHeavyOperations: 2 }, trustProxy: true };

/** A server whose heavy operations end when the test says so, in the order in which they began. */
async function serve(settings: Readonly<Record<string, unknown>> = {}) {
  const running: (() => void)[] = [];
  const began: string[] = [];
  const graph = createSmallGraph({
    primaryNetworkTransactions: async ({ after }) => {
      began.push(String(after));
      await new Promise<void>((done) => running.push(done));
      return { nodes: [], chainInfo: { chainName: "p-chain", network: "FUJI" } };
    },
  });
  const config = testConfig({ ...SETTINGS, ...settings });
  const logger = pino({ level: "silent" });
  const admission = createAdmission(config, logger);
  const options = { graph, config, logger, admission, counters: createLocalCounters() };
  const listener = await listen(createRestServer(options).handler);
  /** A heavy request of an address, which has a name in the place of its page token. */
  const heavy = (name: string, address: string, signal?: AbortSignal) =>
    fetch(`${listener.url}${HEAVY}&pageToken=${name}`, {
      headers: { "x-forwarded-for": address },
      signal: signal ?? null,
    });
  return { ...listener, running, began, heavy, gate: admission.heavy };
}

/** Waits until a condition of the server holds. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((done) => setTimeout(done, 2));
}

describe("heavy operations", () => {
  it("run in turns, while light ones and probes are answered", async () => {
    await using rest = await serve();
    const first = rest.heavy("first", "192.0.2.1");
    await until(() => rest.began.length === 1);
    const second = rest.heavy("second", "192.0.2.2");
    expect((await fetch(`${rest.url}/v1/chains/1`)).status).toBe(200);
    expect(rest.began).toEqual(["first"]);
    rest.running.shift()?.();
    await until(() => rest.began.length === 2);
    rest.running.shift()?.();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
  });

  it("are refused with 503 and Retry-After if too many wait, in all or of one caller", async () => {
    await using rest = await serve();
    const first = rest.heavy("first", "192.0.2.1");
    await until(() => rest.began.length === 1);
    const second = rest.heavy("second", "192.0.2.1");
    await until(() => rest.gate.waiting === 1);
    const refused = await rest.heavy("refused", "192.0.2.1");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({
      statusCode: 503,
      error: "Service Unavailable",
      message: "the service is overloaded: too many requests wait, try again in 1 s",
    });
    const third = rest.heavy("third", "192.0.2.3");
    for (let ended = 0; ended < 3; ended++) {
      await until(() => rest.running.length === 1);
      rest.running.shift()?.();
    }
    expect((await Promise.all([first, second, third])).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(rest.began).toEqual(["first", "second", "third"]);
  });

  it("do not run if their caller has left", async () => {
    await using rest = await serve();
    const first = rest.heavy("first", "192.0.2.1");
    await until(() => rest.began.length === 1);
    const leave = new AbortController();
    const left = rest.heavy("left", "192.0.2.1", leave.signal);
    await until(() => rest.gate.waiting === 1);
    leave.abort();
    await expect(left).rejects.toThrow();
    await until(() => rest.gate.waiting === 0);
    const last = rest.heavy("last", "192.0.2.2");
    await until(() => rest.running.length === 1);
    rest.running.shift()?.();
    await until(() => rest.began.length === 2);
    rest.running.shift()?.();
    expect([(await first).status, (await last).status]).toEqual([200, 200]);
    expect(rest.began).toEqual(["first", "last"]);
  });

  it("of one caller leave a place for those of others", async () => {
    await using rest = await serve({ admission: { heavyOperations: 2, waitingHeavyOperations: 4 } });
    const first = rest.heavy("first", "192.0.2.1");
    await until(() => rest.began.length === 1);
    const second = rest.heavy("second", "192.0.2.1");
    await until(() => rest.gate.waiting === 1);
    const other = rest.heavy("other", "192.0.2.2");
    await until(() => rest.began.length === 2);
    expect(rest.began).toEqual(["first", "other"]);
    for (let ended = 0; ended < 3; ended++) {
      await until(() => rest.running.length > 0);
      rest.running.shift()?.();
    }
    expect((await Promise.all([first, second, other])).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(rest.began).toEqual(["first", "other", "second"]);
  });

  it("cost nothing if they are refused at once; wrong parameters are charged and named as ever", async () => {
    await using rest = await serve({ computeUnitsPerMinute: 1_000 });
    const from = { headers: { "x-forwarded-for": "192.0.2.1" } };
    const first = rest.heavy("first", "192.0.2.1");
    await until(() => rest.began.length === 1);
    const second = rest.heavy("second", "192.0.2.1");
    await until(() => rest.gate.waiting === 1);
    const refused = await rest.heavy("refused", "192.0.2.1");
    expect([refused.status, refused.headers.get("ratelimit-remaining")]).toEqual([503, null]);
    const light = await fetch(`${rest.url}/v1/chains/1`, from);
    expect([light.status, light.headers.get("ratelimit-remaining")]).toEqual([200, "799"]);
    const wrong = await fetch(`${rest.url}${HEAVY}&sortOrder=up`, from);
    expect([wrong.status, wrong.headers.get("ratelimit-remaining")]).toEqual([400, "699"]);
    for (let ended = 0; ended < 2; ended++) {
      await until(() => rest.running.length === 1);
      rest.running.shift()?.();
    }
    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200]);
  });
});
