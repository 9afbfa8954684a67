import express from "express";
import pino from "pino";
import { startServer } from "../../../core/http/server.ts";
import { createLocalCounters } from "../../../core/limits/rate-counters.ts";
import { testConfig } from "../../../test/support/config.ts";
import { type Listener, listen } from "../../../test/support/node/listen.ts";
import { createSmallGraph } from "../../../test/support/small-graph.ts";
import { createRestRouter } from "../../rest-router.ts";
import { createRestServer } from "../../rest-server.ts";

/** Paths that both dialects have, and that only the hosted dialect has. */
const CHAINS = "/v1/chains";
const METRIC = "/v2/chains/{chainId}/metrics/{metric}";

interface OpenApi {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Responses }>>>>;
  readonly components: { readonly responses: Responses };
}

type Responses = Readonly<Record<string, { readonly headers?: object; readonly content?: object }>>;

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

/** The document at a URL; null if there is none. */
async function documentAt(url: string): Promise<OpenApi | null> {
  const response = await fetch(url);
  return response.status === 404 ? null : ((await response.json()) as OpenApi);
}

/** True if the document is that of the hosted dialect. */
const isHosted = (document: OpenApi | null) => document && METRIC in document.paths;

describe("the OpenAPI documents", () => {
  it("name a server that is relative to their URL, and answers there below any prefix", async () => {
    const app = express().use("/chain-data", createRestRouter(optionsOf({})));
    await using mounted = await listen(app);
    await using rest = await startRest();
    for (const url of [
      rest.url,
      `${rest.url}/hosted`,
      `${mounted.url}/chain-data`,
      `${mounted.url}/chain-data/hosted`,
    ]) {
      const { servers = [] } = (await documentAt(`${url}/openapi.json`)) ?? {};
      const server = new URL(servers[0]?.url ?? "", `${url}/openapi.json`).href;
      expect(server).toBe(`${url}/`);
      expect((await fetch(new URL(CHAINS.slice(1), server))).status).toBe(200);
    }
  });

  it("follow the settings of the dialects", async () => {
    await using rest = await startRest({ hostedPrefix: "/other/one" });
    expect(isHosted(await documentAt(`${rest.url}/openapi.json`))).toBe(false);
    expect(isHosted(await documentAt(`${rest.url}/other/one/openapi.json`))).toBe(true);
    await using none = await startRest({ hostedPrefix: "" });
    expect(await documentAt(`${none.url}/hosted/openapi.json`)).toBeNull();
    await using everywhere = await startRest({ dialect: "hosted", hostedPrefix: "" });
    expect(isHosted(await documentAt(`${everywhere.url}/openapi.json`))).toBe(true);
  });

  it("name the headers of responses, which a limited response has", async () => {
    await using rest = await startRest({ computeUnitsPerMinute: 1 });
    const document = await documentAt(`${rest.url}/openapi.json`);
    const named = (responses: Responses | undefined, key: string) => Object.keys(responses?.[key]?.headers ?? {});
    const sent = async (path: string) => [...(await fetch(rest.url + path)).headers.keys()];
    const { get } = document?.paths[CHAINS] ?? {};
    expect(await sent(CHAINS)).toEqual(expect.arrayContaining(named(get?.responses, "200")));
    expect(await sent(CHAINS)).toEqual(
      expect.arrayContaining(named(document?.components.responses, "TooManyRequests")),
    );
    expect(named(get?.responses, "200")).toContain("ratelimit");
    expect(named(document?.components.responses, "TooManyRequests")).toContain("retry-after");
    const probe = document?.paths["/v1/live-check"]?.["get"]?.responses;
    expect(named(probe, "200")).toEqual(["x-request-id"]);
    expect(await sent("/v1/live-check")).not.toContain("ratelimit");
  });
});
