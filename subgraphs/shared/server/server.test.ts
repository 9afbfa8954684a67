import { C_CHAIN, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { type Served, serveSubgraph } from "../../../test/federation/served.ts";
import { exchangeBytes } from "../../../test/support/node/listen.ts";
import { expectNotStored, expectSecureAnswer, expectSecureHeaders } from "../../../test/support/security-headers.ts";

let opened: OpenedEvm;
let served: Served;
beforeAll(async () => {
  opened = await openEvm();
  served = await serveSubgraph({ database: opened.database, config: opened.database.config });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await opened[Symbol.asyncDispose]();
});

async function post(body: string | object, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(served.url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const { data, errors, extensions } = (await response.json()) as {
    data?: unknown;
    errors?: { message: string; extensions: { code: string } }[];
    extensions?: object;
  };
  return {
    status: response.status,
    headers: response.headers,
    data,
    codes: errors?.map((e) => e.extensions.code),
    errors,
    extensions,
  };
}

const BLOCKS = `query($size: Int!) { evmBlocks(chainId: "${C_CHAIN}", first: $size) { blocks: nodes { blockNumber } } }`;

describe("a subgraph in a process of its own", () => {
  it("answers queries, and its SDL for registries", async () => {
    expect((await post({ query: BLOCKS, variables: { size: 1 } })).data).toEqual({
      evmBlocks: { blocks: [{ blockNumber: "234" }] },
    });
    expect((await post({ query: "{ _service { sdl } }" })).data).toMatchObject({
      _service: { sdl: expect.stringContaining("type EvmBlock") },
    });
  });

  it("says that an answer has no errors", async () => {
    const answer = await post({ query: BLOCKS, variables: { size: 2 } });
    expect([answer.status, answer.headers.get("x-graphql-errors")]).toEqual([200, "none"]);
    expectSecureHeaders(answer.headers);
    for (const size of ["x", 101]) {
      const refused = await post({ query: BLOCKS, variables: { size } });
      expect([refused.codes, refused.headers.get("x-graphql-errors")]).toEqual([["INVALID_PARAMETER"], null]);
    }
  });

  it("sends security headers, also for unknown paths and WebSockets on other paths", async () => {
    const { port } = new URL(served.url);
    const head = "HTTP/1.1\r\nHost: a\r\n";
    const close = "Connection: close\r\n\r\n";
    expectSecureAnswer(await exchangeBytes(Number(port), `GET /graphql?query={__typename} ${head}${close}`), 200);
    expectSecureAnswer(await exchangeBytes(Number(port), `GET /other ${head}${close}`), 404);
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    const unknownPath = await exchangeBytes(Number(port), `GET /other ${head}${upgrade}`);
    expectSecureAnswer(unknownPath, 404);
    expectNotStored(unknownPath);
    expect(unknownPath).toMatch(/\r\n\r\n\{"message":"Cannot GET \/other","statusCode":404,"error":"Not Found"\}$/);
  });

  it("refuses WebSockets of web pages, which could start operations of any caller", async () => {
    const { port } = new URL(served.url);
    const head = "HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
    const key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    const answer = await exchangeBytes(Number(port), `GET /graphql ${head}${key}`);
    expectSecureAnswer(answer, 403);
    expect(answer).toMatch(/\r\n\r\n\{"message":"web pages cannot open WebSockets to a subgraph","statusCode":403,/);
    const toHead = await exchangeBytes(Number(port), `HEAD /graphql ${head}${key}`);
    expectSecureAnswer(toHead, 403);
    expect(toHead.split("\r\n\r\n")[1]).toBe("");
  });

  it.each([
    ["a document that cannot be parsed", { query: "{" }, 200, "GRAPHQL_PARSE_FAILED"],
    ["an unknown field", { query: "{ nothing }" }, 200, "GRAPHQL_VALIDATION_FAILED"],
    ["a variable of the wrong type", { query: BLOCKS, variables: { size: "x" } }, 200, "INVALID_PARAMETER"],
    ["a missing variable", { query: BLOCKS }, 200, "INVALID_PARAMETER"],
    ["a parameter out of bounds", { query: BLOCKS, variables: { size: 101 } }, 200, "INVALID_PARAMETER"],
    ["a chain that is not served", { query: '{ chain(chainId: "1") { chainId } }' }, 200, "NOT_FOUND"],
    ["an unknown operation name", { query: "{ __typename }", operationName: "X" }, 200, "OPERATION_RESOLUTION_FAILURE"],
    ["a body that is not JSON", "{", 400, "BAD_REQUEST"],
    [
      "a body with too many values",
      { query: "{ __typename }", variables: { a: Array(30_000).fill(0) } },
      413,
      "BAD_REQUEST",
    ],
    ["a body that is too large", { query: "x".repeat(2_000_000) }, 413, "BAD_REQUEST"],
  ])("refuses %s, also when it is sent again", async (_, body, status, code) => {
    for (let time = 1; time <= 4; time++) expect(await post(body)).toMatchObject({ status, codes: [code] });
  });

  it("answers a target in the form of a URL, as proxies send it", async () => {
    const { port } = new URL(served.url);
    const request = "GET http://a/graphql?query={__typename} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";
    const answer = await exchangeBytes(Number(port), `${request}apollo-require-preflight: 1\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n\{"data":\{"__typename":"Query"\}\}/);
  });

  it.each([
    ["application/json", 200, "application/json"],
    ["application/json, application/graphql-response+json;q=0.5", 200, "application/json"],
    ["application/graphql-response+json", 400, "application/graphql-response+json"],
  ])(
    "chooses the status of a refused document by the type that it sends, if %s is accepted",
    async (accept, status, type) => {
      const refused = await post({ query: "{ nothing }" }, { accept });
      expect([refused.status, refused.headers.get("content-type")?.split(";")[0]]).toEqual([status, type]);
    },
  );

  it("refuses an unsupported content encoding with 415, and closes the connection of every body that it refuses", async () => {
    const refused = await post({ query: "{ __typename }" }, { "content-encoding": "zstd" });
    expect([refused.status, refused.codes, refused.headers.get("connection")]).toEqual([415, ["BAD_REQUEST"], "close"]);
  });

  it("does not let an answer be stored, whatever Apollo Server says", async () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: "0".repeat(64) } };
    expect((await post({ extensions })).headers.get("cache-control")).toBe("no-store");
  });

  it("adds a trace for routers that ask for it, and leaves the resolvers of its schema as they are", async () => {
    const resolverOf = () => opened.evm.schema.getQueryType()?.getFields()["evmBlocks"]?.resolve;
    const before = resolverOf();
    const { extensions } = await post(
      { query: BLOCKS, variables: { size: 1 } },
      { "apollo-federation-include-trace": "ftv1" },
    );
    expect(extensions).toEqual({ ftv1: expect.any(String) });
    expect(resolverOf()).toBe(before);
  });

  it("answers a bug as an internal error without details", async () => {
    await opened.database.pool.query("ALTER TABLE evm_logs RENAME TO gone");
    const query = `{ evmTransactions(chainId: "${C_CHAIN}", first: 1) { transactions: nodes { txType logs { nextPageToken } } } }`;
    const { errors } = await post({ query });
    await opened.database.pool.query("ALTER TABLE gone RENAME TO evm_logs");
    const path = ["evmTransactions", "transactions", 0, "logs"];
    expect(errors).toEqual([{ message: "internal error", path, extensions: { code: "INTERNAL" } }]);
  });

  it("returns the request id of the caller if it is safe, else a new one", async () => {
    const idOf = async (id: string) =>
      (await post({ query: "{ __typename }" }, { "x-request-id": id })).headers.get("x-request-id");
    expect(await idOf("of-the-gateway:1.2")).toBe("of-the-gateway:1.2");
    expect(await idOf("<script>")).toMatch(/^[\da-f-]{36}$/);
  });

  it.each(["GET", "POST"])("answers %s at every other path with the documented error", async (method) => {
    const answer = await fetch(new URL("/other?a=b", served.url), { method });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json; charset=utf-8"]);
    expect(await answer.json()).toEqual({ message: `Cannot ${method} /other`, statusCode: 404, error: "Not Found" });
  });
});
