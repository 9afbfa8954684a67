import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { startServer } from "../../core/server.ts";
import { C_CHAIN, type OpenedEvm, openEvm } from "./evm.ts";
import { type Served, serveGraph, serveSubgraph } from "./served.ts";

/** Well below the drain timeout of ten seconds. */
const SOON_MS = 3_000;
const SUBSCRIPTION = `subscription { blockAdded(chainId: "${C_CHAIN}") { blockNumber } }`;

async function msOf(task: () => PromiseLike<void>): Promise<number> {
  const startedAt = performance.now();
  await task();
  return performance.now() - startedAt;
}

describe("a server that stops", () => {
  it("finishes a running request, and does not wait for its idle connection", async () => {
    const server = await startServer({
      host: "127.0.0.1",
      port: 0,
      handler: (_request, response) => void sleep(300).then(() => response.end("whole")),
    });
    const agent = new Agent({ keepAlive: true });
    const answer = new Promise<string>((done) => {
      get({ host: "127.0.0.1", port: server.port, agent }, (response) =>
        response.setEncoding("utf8").once("data", (text: string) => done(text)),
      );
    });
    await sleep(100);
    const ms = await msOf(() => server[Symbol.asyncDispose]());
    expect(await answer).toBe("whole");
    expect(ms).toBeLessThan(SOON_MS);
    agent.destroy();
  });

  let opened: OpenedEvm;
  beforeAll(async () => {
    opened = await openEvm();
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  it.each([
    ["gateway", serveGraph],
    ["subgraph", serveSubgraph],
  ])("ends subscriptions over graphql-ws: the %s", async (_, serve) => {
    const served: Served = await serve({ database: opened.database, config: opened.database.config });
    const client = createClient({
      url: served.url.replace("http", "ws"),
      webSocketImpl: WebSocket,
      lazy: false,
      retryAttempts: 0,
      onNonLazyError: () => {},
    });
    const connected = new Promise((done) => client.on("connected", done));
    const closed = new Promise((done) => client.on("closed", done));
    client.subscribe({ query: SUBSCRIPTION }, { next: () => {}, error: () => {}, complete: () => {} });
    await connected;
    expect(await msOf(() => served[Symbol.asyncDispose]())).toBeLessThan(SOON_MS);
    expect(await closed).toMatchObject({ code: 1001 });
  });

  it("ends subscriptions over SSE", async () => {
    const served = await serveGraph({ database: opened.database, config: opened.database.config });
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const body = JSON.stringify({ query: SUBSCRIPTION });
    const response = await fetch(served.url, { method: "POST", headers, body });
    const text = response.text();
    await sleep(200);
    expect(await msOf(() => served[Symbol.asyncDispose]())).toBeLessThan(SOON_MS);
    expect(await text).toMatch(/event: complete/);
  });
});
