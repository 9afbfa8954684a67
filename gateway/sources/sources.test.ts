import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { serveOpenGraph, serveOther } from "../../test/federation/other-teams.ts";
import { ask } from "../../test/federation/served.ts";
import { until } from "../../test/process/until.ts";
import { freePort, listen } from "../../test/support/node/listen.ts";
import { composeSupergraph } from "../compose.ts";
import { createSource } from "./create-source.ts";

const { signal } = new AbortController();
const SDL = `type Query { one: Int }`;
const composed = (url: string, sdl = SDL) => composeSupergraph([{ name: "only", url, sdl }]);
const sourceOf = (supergraph: object | string) => {
  const source = createSource({ supergraph, subgraphs: [], pollIntervalMs: 0 } as never, []);
  if (!source) throw new Error("the settings name no source");
  return source;
};

describe("the CDN of Hive", () => {
  it("is asked with the key, and whether the supergraph has changed; the key is not sent on to another server", async () => {
    let present = "first";
    const asked: IncomingMessage["headers"][] = [];
    const elsewhere: IncomingMessage["headers"][] = [];
    await using store = await listen((request, response) => {
      elsewhere.push(request.headers);
      response.end("moved");
    });
    await using cdn = await listen((request, response) => {
      asked.push(request.headers);
      const etag = `"${createHash("sha256").update(present).digest("hex")}"`;
      if (request.url !== "/artifacts/v1/target/supergraph") response.writeHead(404).end();
      else if (request.headers["x-hive-cdn-key"] !== "a-key") response.writeHead(403).end();
      else if (present === "moved") response.writeHead(302, { location: store.url }).end();
      else if (request.headers["if-none-match"] === etag) response.writeHead(304).end();
      else response.writeHead(200, { etag }).end(present);
    });
    const url = `${cdn.url}/artifacts/v1/target`;
    const source = sourceOf({ hive: { url, key: "a-key" } });
    expect([await source.load(signal), await source.load(signal)]).toEqual(["first", null]);
    expect(asked[1]).toHaveProperty("if-none-match");
    present = "second";
    expect(await source.load(signal)).toBe("second");
    present = "moved";
    expect(await source.load(signal)).toBe("moved");
    expect(elsewhere[0]).not.toHaveProperty("x-hive-cdn-key");
    const wrong = sourceOf({ hive: { url: `${url}/supergraph`, key: "another" } });
    await expect(wrong.load(signal)).rejects.toThrow("the CDN of Hive answers with HTTP 403");
  });
});

describe("Uplink", () => {
  it("is asked for what follows the last id, at the next URL if one fails, and tells how long to wait", async () => {
    const variables: object[] = [];
    let answer: object = {};
    await using uplink = await listen(async (request, response) => {
      const body = JSON.parse(await text(request));
      variables.push(body.variables);
      expect(body.query).toMatch(/routerConfig\(apiKey: \$apiKey, ref: \$ref, ifAfterId: \$ifAfterId\)/);
      response.setHeader("content-type", "application/json").end(JSON.stringify({ data: { routerConfig: answer } }));
    });
    await using broken = await listen((_, response) => void response.writeHead(502).end("<html>"));
    const urls = [`http://127.0.0.1:${await freePort()}`, broken.url, uplink.url];
    const source = sourceOf({ uplink: { graphRef: "graph@current", key: "a-key", urls } });
    answer = { __typename: "RouterConfigResult", id: "7", supergraphSDL: "sdl", minDelaySeconds: 30 };
    expect(await source.load(signal)).toBe("sdl");
    expect(source.minPauseMs).toBe(30_000);
    answer = { __typename: "Unchanged", id: "7", minDelaySeconds: 60 };
    expect(await source.load(signal)).toBeNull();
    expect(source.minPauseMs).toBe(60_000);
    answer = { __typename: "FetchError", code: "ACCESS_DENIED", message: "no such key" };
    await expect(source.load(signal)).rejects.toThrow(
      /cannot be reached: .*; Uplink at \S+ answers with HTTP 502 and no configuration; Uplink at \S+ answers ACCESS_DENIED: no such key/,
    );
    expect(variables).toEqual([
      { apiKey: "a-key", ref: "graph@current", ifAfterId: null },
      ...Array.from({ length: 2 }, () => ({ apiKey: "a-key", ref: "graph@current", ifAfterId: "7" })),
    ]);
  });
});

describe("a supergraph that the settings name", () => {
  const folder = mkdtempSync(join(tmpdir(), "moraine-supergraph-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("is served from a file at the URLs that it has or that the settings have, and again when the file has changed", async () => {
    await using other = await serveOther(SDL, { Query: { one: () => 1, two: () => 2 } });
    const file = join(folder, "supergraph.graphql");
    writeFileSync(file, composed("http://127.0.0.1:1"));
    await using graph = await serveOpenGraph({
      supergraph: file,
      subgraphs: [{ name: "only", url: other.url }],
      pollIntervalMs: 20,
    });
    expect(await ask(graph.url, "{ one }")).toEqual({ data: { one: 1 } });
    const before = graph.opened.status()?.hash;
    other.change("type Query { two: Int }", { Query: { two: () => 2 } });
    writeFileSync(file, composed("", "type Query { two: Int }"));
    await until(
      () => graph.opened.status()?.hash !== before,
      () => String(before),
    );
    expect(await ask(graph.url, "{ two }")).toEqual({ data: { two: 2 } });
    writeFileSync(file, "type Query { two: Int }");
    // It stays wrong when the file is read again without a change.
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(graph.opened.reload(graph.setting)).rejects.toThrow("the document is no supergraph");
    expect(graph.opened.status()).toHaveProperty("warning");
    expect(await ask(graph.url, "{ two }")).toEqual({ data: { two: 2 } });
    await expect(graph.opened.reload({ ...graph.setting, supergraph: join(folder, "none") })).rejects.toThrow(/ENOENT/);
    await expect(serveOpenGraph({ supergraph: join(folder, "none") })).rejects.toThrow(/^setting graph: ENOENT/);
  });

  it("is waited for at the start if it is not in a file", async () => {
    await using other = await serveOther(SDL, { Query: { one: () => 1 } });
    let asked = 0;
    await using server = await listen((_, response) => {
      if (++asked < 3) response.writeHead(503).end();
      else response.end(composed(other.url));
    });
    await using graph = await serveOpenGraph({ supergraph: server.url, pollIntervalMs: 20 });
    expect(await ask(graph.url, "{ one }")).toEqual({ data: { one: 1 } });
    expect(asked).toBeGreaterThanOrEqual(3);
  });
});
