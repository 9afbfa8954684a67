import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { buildSchema } from "graphql";
import { parse as parseYaml } from "yaml";
import { createLogger } from "../../core/observability/logger.ts";
import { VERSION } from "../../core/observability/version.ts";
import { composeSupergraph } from "../../gateway/compose.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { testConfig } from "../support/config.ts";
import { ask, type Served, serveGateway } from "./served.ts";

/** Published schemas need no subgraph. */
const subgraphs = ["evm", "metrics", "node", "operations", "primary-network", "signatures"].map((name) => ({
  name,
  url: "http://127.0.0.1:1/graphql",
}));

const serve = (settings: Readonly<Record<string, unknown>> = {}) =>
  serveGateway(subgraphs, createLogger("silent"), committedSupergraph(), testConfig(settings));

const get = ({ url }: Served, path: string, init: RequestInit = {}) => fetch(new URL(path, url), init);

interface Entry {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: string;
}

describe("the published schemas", () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve();
  });
  afterAll(() => served[Symbol.asyncDispose]());

  const textOf = async (name: string) => (await get(served, `/schema/${name}`)).text();

  it("are listed with their hashes, types and lengths", async () => {
    const entries = (await (await get(served, "/schema")).json()) as Entry[];
    expect(entries.map(({ name }) => name)).toEqual([
      ...["api", "public", "supergraph", "subgraph", ...subgraphs.map(({ name }) => name)].map(
        (name) => `${name}.graphql`,
      ),
      "supergraph.yaml",
      "scalars.json",
    ]);
    for (const { name, contentType, bytes, sha256 } of entries) {
      const response = await get(served, `/schema/${name}`);
      const body = Buffer.from(await response.arrayBuffer());
      expect([response.status, response.headers.get("content-type")]).toEqual([200, contentType]);
      expect([body.length, hash("sha256", body, "hex")]).toEqual([bytes, sha256]);
      expect(response.headers.get("schema-version")).toMatch(new RegExp(`^${VERSION}\\+[0-9a-f]{12}$`));
    }
  });

  it("are the schemas of callers, the supergraph, the subgraphs and the whole graph as one subgraph", async () => {
    const api = buildSchema(await textOf("api.graphql"));
    expect(api.getSubscriptionType()?.getFields()).toHaveProperty("healthChanged");
    expect(buildSchema(await textOf("public.graphql")).getType("HealthReport")).toBeUndefined();
    expect(await textOf("supergraph.graphql")).toBe(committedSupergraph());
    expect(Object.keys(JSON.parse(await textOf("scalars.json")))).toContain("Quantity");
    const { data } = await ask(served.url, "{ _service { sdl } }");
    expect(data).toEqual({ _service: { sdl: await textOf("subgraph.graphql") } });
  });

  it("compose to the supergraph by the configuration for Rover alone", async () => {
    const { federation_version: version, subgraphs: named } = parseYaml(await textOf("supergraph.yaml")) as {
      readonly federation_version: string;
      readonly subgraphs: Readonly<
        Record<string, { readonly routing_url: string; readonly schema: { readonly sdl: string } }>
      >;
    };
    const packageJson = JSON.parse(readFileSync("package.json", "utf8"));
    expect(version).toBe(`=${packageJson.dependencies["@apollo/subgraph"]}`);
    const services = Object.entries(named).map(([name, { routing_url: url, schema }]) => ({
      name,
      url,
      sdl: schema.sdl,
    }));
    const composed = composeSupergraph(services);
    const lines = (text: string) => text.split("\n").toSorted();
    expect(lines(composed)).toEqual(lines(committedSupergraph()));
  });

  it("answer conditional requests, HEAD, and web pages of other origins, and are compressed", async () => {
    const { headers } = await get(served, "/schema/api.graphql", { headers: { "accept-encoding": "br" } });
    expect(headers.get("content-encoding")).toBe("br");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-expose-headers")).toContain("schema-version");
    const etag = headers.get("etag") ?? "";
    const unchanged = await get(served, "/schema/api.graphql", { headers: { "if-none-match": etag } });
    expect([unchanged.status, unchanged.headers.get("etag")]).toEqual([304, etag]);
    const head = await get(served, "/schema/api.graphql", { method: "HEAD" });
    expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
    const preflight = await get(served, "/schema/api.graphql", { method: "OPTIONS" });
    expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "GET, HEAD, OPTIONS",
    ]);
  });

  it.each([
    ["GET", "/schema/other.graphql"],
    ["GET", "/schema/../package.json"],
    ["GET", "/schema/evm.graphql/"],
    ["GET", "/schemas"],
    ["POST", "/schema/api.graphql"],
  ])("are not at %s %s", async (method, path) => {
    expect((await get(served, path, { method })).status).toBe(404);
  });
});

it("schemas are published without introspection, and not at all if the setting says so", async () => {
  await using without = await serve({ graphql: { introspection: false } });
  expect((await get(without, "/schema/api.graphql")).status).toBe(200);
  await using unpublished = await serve({ graphql: { publishSchemas: false } });
  expect((await get(unpublished, "/schema")).status).toBe(404);
  expect((await get(unpublished, "/schema/api.graphql")).status).toBe(404);
  expect(await ask(unpublished.url, "{ _service { sdl } }")).toMatchObject({
    errors: [{ extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }],
  });
});
