import { createLogger } from "../core/observability/logger.ts";
import { serveGateway } from "../test/federation/served.ts";
import { createSmallSubgraphs } from "../test/federation/small-subgraphs.ts";
import { exchangeBytes } from "../test/support/node/listen.ts";

const { supergraph, subgraphs } = createSmallSubgraphs();

describe("a gateway without REST", () => {
  it.each([
    ["GET", "/v1/chains?pageSize=1", "/v1/chains"],
    ["POST", "/v1/operations/transactions:export", "/v1/operations/transactions:export"],
    ["GET", "/graphql/other", "/graphql/other"],
    ["GET", "/graphqlother", "/graphqlother"],
    ["GET", "/", "/"],
  ])("answers %s %s with the documented error", async (method, target, path) => {
    await using served = await serveGateway(subgraphs, createLogger("silent"), supergraph);
    const answer = await fetch(new URL(target, served.url), { method });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json; charset=utf-8"]);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(await answer.json()).toEqual({ message: `Cannot ${method} ${path}`, statusCode: 404, error: "Not Found" });
  });

  it("answers at the path of the graph if a proxy sends the target as a URL", async () => {
    await using served = await serveGateway(subgraphs, createLogger("silent"), supergraph);
    const request = (target: string) => `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const port = Number(new URL(served.url).port);
    const query = "?query=%7B__typename%7D";
    expect(await exchangeBytes(port, request(`http://a/graphql${query}`))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exchangeBytes(port, request(`/graphql/${query}`))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exchangeBytes(port, request(`http://a/other${query}`))).toMatch(/^HTTP\/1\.1 404 /);
  });

  it("opens WebSockets only at the path of the graph", async () => {
    await using served = await serveGateway(subgraphs, createLogger("silent"), supergraph);
    const handshake = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    const port = Number(new URL(served.url).port);
    expect(await exchangeBytes(port, handshake("/graphql"))).toMatch(/^HTTP\/1\.1 400 [\s\S]*handshake/);
    const close = "GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    expect(await exchangeBytes(port, handshake("/other") + close)).toMatch(/Cannot GET \/other[\s\S]*Cannot GET \/end/);
  });
});
