import { createHash } from "node:crypto";
import { createLogger } from "../../core/observability/logger.ts";
import { type Served, serveGateway } from "./served.ts";
import { createSmallSubgraphs } from "./small-subgraphs.ts";

let gateway: Served;
beforeAll(async () => {
  const { supergraph, subgraphs } = createSmallSubgraphs();
  gateway = await serveGateway(subgraphs, createLogger("silent"), supergraph);
});
afterAll(() => gateway[Symbol.asyncDispose]());

const page = (headers: Record<string, string> = {}) =>
  fetch(gateway.url, { headers: { accept: "text/html,application/xhtml+xml", ...headers } });

describe("GraphiQL", () => {
  it("is sent compressed, and with 304 to a browser that has it", async () => {
    const { headers, status, body } = await page({ "accept-encoding": "gzip, deflate, br, zstd" });
    await body?.cancel();
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-encoding": "br",
      "cache-control": "public, max-age=3600",
      vary: "accept, accept-encoding",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
    });
    expect([status, Number(headers.get("content-length")) < 3_000_000]).toEqual([200, true]);
    expect((await page({ "if-none-match": headers.get("etag") ?? "" })).status).toBe(304);
  });

  it("is sent to callers that accept Text/HTML, in any letter case and with other types as second choice", async () => {
    const { status, headers, body } = await page({ accept: "application/json;q=0.5, Text/HTML, */*;q=0.8" });
    await body?.cancel();
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  });

  it("may run only its own script and call only this server", async () => {
    const response = await page({ "accept-encoding": "gzip" });
    const html = await response.text();
    const [, script = ""] = /<script>([\s\S]*)<\/script>/.exec(html) ?? [];
    const hash = createHash("sha256").update(script).digest("base64");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy.split("; ")).toEqual(
      expect.arrayContaining(["default-src 'none'", `script-src 'sha256-${hash}'`, "connect-src 'self'"]),
    );
    expect(script).toContain("YogaGraphiQL");
  });

  it.each([
    "application/json",
    "application/json, text/html;q=0",
    "application/graphql-response+json, text/html;q=0.5",
  ])("is not sent to callers that accept %s", async (accept) => {
    const url = `${gateway.url}?query=${encodeURIComponent("{ count }")}`;
    const response = await fetch(url, { headers: { accept } });
    expect(await response.json()).toEqual({ data: { count: 2 } });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
  });
});
