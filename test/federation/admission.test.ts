import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { createAdmission } from "../../core/limits/admission/admission.ts";
import type { Release } from "../../core/limits/admission/gate.ts";
import { Overloaded } from "../../core/limits/admission/overloaded.ts";
import { createLogger } from "../../core/observability/logger.ts";
import type { Work } from "../../core/work/work.ts";
import { testConfig } from "../support/config.ts";
import { serveGateway } from "./served.ts";
import { createSmallSubgraphs } from "./small-subgraphs.ts";

/** 7,000 values. */
const HEAVY = "{ things(first: 1000) { id name a: name b: name c: name d: name e: name } }";
const OVERLOADED = {
  message: "the service is overloaded: too many requests wait, try again in 1 s",
  extensions: { code: "UNAVAILABLE" },
};

/** A gateway that runs one heavy operation at a time, and in which one waits. Each ends when the test says so. */
async function serve(settings: Readonly<Record<string, unknown>> = {}, nowMs = Date.now) {
  const running: (() => void)[] = [];
  const { supergraph, subgraphs } = createSmallSubgraphs(() => new Promise((done) => running.push(done)));
  const config = testConfig({ admission: { heavyOperations: 1, waitingHeavyOperations: 1 }, ...settings });
  const logger = createLogger("silent");
  const admitted = createAdmission(config, logger);
  /** What new documents wait for before their turn, and how many wait for it. */
  const documents = { released: Promise.resolve(), waiting: 0 };
  const enter = async (work: Work): Promise<Release> => {
    documents.waiting++;
    await documents.released;
    return admitted.document.enter(work);
  };
  const admission = { ...admitted, document: { ...admitted.document, enter } };
  const gateway = await serveGateway(subgraphs, logger, supergraph, config, { admission, nowMs });
  const send = async (body: object, signal: AbortSignal | null = null) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(gateway.url, { method: "POST", headers, body: JSON.stringify(body), signal });
    const { data, errors } = await response.json();
    const remaining = response.headers.get("ratelimit-remaining");
    return { status: response.status, retryAfter: response.headers.get("retry-after"), remaining, data, errors };
  };
  const ask = (query: string, signal?: AbortSignal) => send({ query }, signal);
  const next = async () => {
    await until(() => running.length > 0);
    running.shift()?.();
  };
  /** Lets new documents wait until the returned function is called. */
  const holdDocuments = (): (() => void) => {
    let release = () => {};
    documents.waiting = 0;
    documents.released = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  };
  return {
    ...gateway,
    documents,
    holdDocuments,
    running,
    queue: admission.heavy,
    send,
    ask,
    next,
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((done) => setTimeout(done, 2));
}

describe("heavy operations of callers", () => {
  it("wait for their turn, or are refused with status 503, while light ones run", async () => {
    await using gateway = await serve();
    const first = gateway.ask(HEAVY);
    const second = gateway.ask(HEAVY);
    // One of three runs and one waits.
    const third = gateway.ask(HEAVY);
    const refused = await Promise.race([first, second, third]);
    expect(refused).toEqual({ status: 503, retryAfter: "1", remaining: null, data: null, errors: [OVERLOADED] });
    expect(await gateway.ask("{ count }")).toMatchObject({ status: 200, data: { count: 2 } });
    await gateway.next();
    await gateway.next();
    const statuses = (await Promise.all([first, second, third])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 503]);
    expect(gateway.running).toEqual([]);
  });

  it("cost nothing if they are refused at once, whether their document is known or new", async () => {
    await using gateway = await serve({ computeUnitsPerMinute: 1_000 });
    const admitted = [gateway.ask(HEAVY), gateway.ask(HEAVY)];
    await until(() => gateway.queue.waiting === 1);
    for (const body of [{ query: HEAVY }, { query: HEAVY, variables: null }, { query: `${HEAVY} # new` }])
      expect(await gateway.send(body)).toEqual({
        status: 503,
        retryAfter: "1",
        remaining: null,
        data: null,
        errors: [OVERLOADED],
      });
    // Each heavy one costs 171 units.
    expect(await gateway.ask("{ count }")).toMatchObject({ status: 200, remaining: "657" });
    expect(await gateway.ask("{ nothing }")).toMatchObject({ status: 200, remaining: "656" });
    await gateway.next();
    await gateway.next();
    expect((await Promise.all(admitted)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it("are refused over WebSocket with the same error", async () => {
    await using gateway = await serve();
    const client = createClient({ url: gateway.url.replace("http", "ws"), webSocketImpl: WebSocket });
    const overSocket = () => client.iterate({ query: HEAVY }).next();
    const all = [overSocket(), overSocket(), overSocket()];
    const refused = await Promise.race(all);
    expect(refused.value).toMatchObject({ data: null, errors: [OVERLOADED] });
    await gateway.next();
    await gateway.next();
    const results = await Promise.all(all);
    expect(results.filter(({ value }) => value?.data?.things)).toHaveLength(2);
    await client.dispose();
  });

  it("are forgotten if they wait and their WebSocket closes", async () => {
    await using gateway = await serve();
    const first = gateway.ask(HEAVY);
    await until(() => gateway.queue.running === 1);
    const client = createClient({ url: gateway.url.replace("http", "ws"), webSocketImpl: WebSocket, retryAttempts: 0 });
    const waiting = expect(client.iterate({ query: HEAVY }).next()).rejects.toMatchObject({ code: 4499 });
    await until(() => gateway.queue.waiting === 1);
    client.terminate();
    await waiting;
    await until(() => gateway.queue.waiting === 0);
    await gateway.next();
    expect((await first).status).toBe(200);
    expect([gateway.queue.running, gateway.running]).toEqual([0, []]);
  });
});

/** A selection of more than 1,000 characters that is cheap to answer. */
const long = (field: string) => Array.from({ length: 40 }, (_, at) => `aFieldWithALongAlias${at}: ${field}`).join(" ");

type Gateway = Awaited<ReturnType<typeof serve>>;

/** Asks a query whose document is new. Expects that it waits for its turn, and that a known one does not. Returns the answer. */
async function answerInTurn(gateway: Gateway, query: string) {
  await gateway.ask("{ count }");
  const release = gateway.holdDocuments();
  let isAnswered = false;
  const answer = gateway.ask(query).finally(() => {
    isAnswered = true;
  });
  await until(() => gateway.documents.waiting === 1);
  expect(await gateway.ask("{ count }")).toMatchObject({ data: { count: 2 } });
  expect(isAnswered).toBe(false);
  release();
  return answer;
}

describe("a short document", () => {
  it.each(["{ nothing }", "{ thing { id } }"])(
    "is parsed when its turn comes if it is new, and at once if it is known: %s",
    async (query) => {
      await using gateway = await serve();
      expect(await answerInTurn(gateway, query)).toMatchObject({ status: 200 });
    },
  );

  it("waits once with its copies from the same caller", async () => {
    await using gateway = await serve();
    await gateway.ask("{ count }");
    const release = gateway.holdDocuments();
    const copies = Array.from({ length: 5 }, () => gateway.ask("{ thing { id } }"));
    await until(() => gateway.documents.waiting === 1);
    // All copies have arrived before these are answered.
    for (let request = 0; request < 5; request++) await gateway.ask("{ count }");
    release();
    for (const { status } of await Promise.all(copies)) expect(status).toBe(200);
    expect(gateway.documents.waiting).toBe(1);
  });

  it("is refused with status 503 and not charged if too many new ones wait", async () => {
    await using gateway = await serve({ computeUnitsPerMinute: 10_000 });
    expect((await gateway.ask("{ count }")).remaining).toBe("9999");
    gateway.documents.released = Promise.reject(new Overloaded(1));
    gateway.documents.released.catch(() => {});
    const refused = await gateway.ask("{ thing { id } }");
    expect(refused).toMatchObject({ status: 503, retryAfter: "1", remaining: null, errors: [OVERLOADED] });
    expect((await gateway.ask("{ count }")).remaining).toBe("9998");
  });
});

describe("a document of more than 1,000 characters", () => {
  it("is parsed when its turn comes if it is new, and at once if it is known to be valid", async () => {
    await using gateway = await serve();
    const invalid = `{ thing { ${long("nothing")} } }`;
    expect(await answerInTurn(gateway, invalid)).toMatchObject({ errors: expect.any(Array) });
    const valid = `{ thing { ${long("name")} } }`;
    const { data } = await answerInTurn(gateway, valid);
    gateway.documents.released = new Promise(() => {});
    expect(await gateway.ask(valid)).toMatchObject({ status: 200, data });
  });
});
