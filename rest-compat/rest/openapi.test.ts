import express from "express";
import pino from "pino";
import { startServer } from "../../core/http/server.ts";
import { createLocalCounters } from "../../core/limits/rate-counters.ts";
import { testConfig } from "../../test/support/config.ts";
import { type Listener, listen } from "../../test/support/node/listen.ts";
import { createSmallGraph } from "../../test/support/small-graph.ts";
import { createRestRouter } from "../rest-router.ts";
import { createRestServer } from "../rest-server.ts";

const METRIC = "/v2/chains/{chainId}/metrics/{metric}";

interface OpenApi {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, { readonly servers?: readonly { readonly url: string }[] }>>;
}

const optionsOf = (settings: Record<string, unknown>) => ({
  graph: createSmallGraph(),
  config: testConfig(settings),
  logger: pino({ level: "silent" }),
  counters: createLocalCounters(),
});

async function startRest(settings: Record<string, unknown> = {}): Promise<Listener> {
  const rest = createRestServer(optionsOf(settings));
  const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, ...rest });
  return { ...server, url: `http://127.0.0.1:${server.port}` };
}

/** The URLs of the servers: of all operations, and of the path that only the hosted dialect has; null without that path. */
async function serversOf(url: string, headers: Record<string, string> = {}): Promise<(string | null | undefined)[]> {
  const response = await fetch(`${url}/openapi.json`, { headers });
  const { servers, paths } = (await response.json()) as OpenApi;
  return [servers[0]?.url, METRIC in paths ? paths[METRIC]?.servers?.[0]?.url : null];
}

const PROXY = { "x-forwarded-proto": "https", "x-forwarded-host": "name", "x-forwarded-prefix": "/moraine" };

describe("the servers of /openapi.json", () => {
  it("are absolute, and answer", async () => {
    await using rest = await startRest();
    const [url, hosted] = await serversOf(rest.url);
    expect([url, hosted]).toEqual([rest.url, `${rest.url}/hosted`]);
    for (const server of [url, hosted]) expect((await fetch(`${server}/v1/chains`)).status).toBe(200);
  });

  it("are those of the proxy that the setting trustProxy names, with its prefix", async () => {
    await using rest = await startRest({ trustProxy: true });
    expect(await serversOf(rest.url, PROXY)).toEqual(["https://name/moraine", "https://name/moraine/hosted"]);
    expect(await serversOf(rest.url)).toEqual([rest.url, `${rest.url}/hosted`]);
    await using forwarded = await startRest({ trustProxy: "forwarded" });
    const headers = { forwarded: 'for=192.0.2.1;proto=https;host="name:8443"', "x-forwarded-prefix": "/moraine/" };
    expect(await serversOf(forwarded.url, headers)).toEqual([
      "https://name:8443/moraine",
      "https://name:8443/moraine/hosted",
    ]);
  });

  it("are relative to the document behind a proxy that no setting names", async () => {
    await using rest = await startRest();
    const [url, hosted] = await serversOf(rest.url, PROXY);
    expect([url, hosted]).toEqual([".", "./hosted"]);
    const document = "https://name/moraine/openapi.json";
    expect([url, hosted].map((one) => new URL(one ?? "", document).href)).toEqual([
      "https://name/moraine/",
      "https://name/moraine/hosted",
    ]);
  });

  it("contain the path at which an Express app mounts the Router", async () => {
    const app = express().use("/chain-data", createRestRouter(optionsOf({ trustProxy: true })));
    await using mounted = await listen(app);
    const url = `${mounted.url}/chain-data`;
    expect(await serversOf(url)).toEqual([url, `${url}/hosted`]);
    expect((await fetch(`${url}/v1/chains`)).status).toBe(200);
    expect(await serversOf(url, PROXY)).toEqual([
      "https://name/moraine/chain-data",
      "https://name/moraine/chain-data/hosted",
    ]);
  });

  it("follow the settings of the hosted dialect", async () => {
    await using other = await startRest({ hostedPrefix: "/other/one" });
    expect(await serversOf(other.url)).toEqual([other.url, `${other.url}/other/one`]);
    await using none = await startRest({ hostedPrefix: "" });
    expect(await serversOf(none.url)).toEqual([none.url, null]);
    await using everywhere = await startRest({ dialect: "hosted", hostedPrefix: "" });
    expect(await serversOf(everywhere.url)).toEqual([everywhere.url, undefined]);
  });

  it("are not those of another host, if callers send many", async () => {
    await using rest = await startRest({ trustProxy: true });
    for (let at = 0; at < 60; at++) {
      const host = `name-${at % 30}`;
      const [url] = await serversOf(rest.url, { "x-forwarded-proto": "https", "x-forwarded-host": host });
      expect(url).toBe(`https://${host}`);
    }
  });
});
