import { Agent, get, type ServerResponse } from "node:http";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { startServer } from "../../core/http/server.ts";
import { C_CHAIN, type OpenedEvm, openEvm } from "./evm.ts";
import { type Served, serveGraph, serveSubgraph } from "./served.ts";

/** Time limit of a case: less than the ten seconds after which a stopping server closes every connection. */
const TIMEOUT_MS = 9_000;
const SUBSCRIPTION = `subscription { blockAdded(chainId: "${C_CHAIN}") { blockNumber } }`;

describe("a server that stops", () => {
  it(
    "finishes a running request, and does not wait for its idle connection",
    async () => {
      let received = (_response: ServerResponse) => {};
      const request = new Promise<ServerResponse>((done) => {
        received = done;
      });
      const server = await startServer({
        host: "127.0.0.1",
        port: 0,
        handler: (_request, response) => received(response),
      });
      const agent = new Agent({ keepAlive: true });
      const answer = new Promise<string>((done) => {
        get({ host: "127.0.0.1", port: server.port, agent }, (response) =>
          response.setEncoding("utf8").once("data", (text: string) => done(text)),
        );
      });
      const response = await request;
      const stopped = server[Symbol.asyncDispose]();
      response.end("whole");
      expect(await answer).toBe("whole");
      await stopped;
      agent.destroy();
    },
    TIMEOUT_MS,
  );

  let opened: OpenedEvm;
  beforeAll(async () => {
    opened = await openEvm();
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  it.each([
    ["gateway", serveGraph],
    ["subgraph", serveSubgraph],
  ])(
    "ends subscriptions over graphql-ws: the %s",
    async (_, serve) => {
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
      await served[Symbol.asyncDispose]();
      expect(await closed).toMatchObject({ code: 1001 });
    },
    TIMEOUT_MS,
  );

  it(
    "ends subscriptions over SSE",
    async () => {
      const served = await serveGraph({ database: opened.database, config: opened.database.config });
      const headers = { "content-type": "application/json", accept: "text/event-stream" };
      const body = JSON.stringify({ query: SUBSCRIPTION });
      const response = await fetch(served.url, { method: "POST", headers, body });
      const text = response.text();
      await served[Symbol.asyncDispose]();
      expect(await text).toMatch(/event: complete/);
    },
    TIMEOUT_MS,
  );
});
