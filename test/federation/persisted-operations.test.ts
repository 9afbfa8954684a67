import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getIntrospectionQuery } from "graphql";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { createLogger } from "../../core/observability/logger.ts";
import { createWork } from "../../core/work/work.ts";
import { readOperationList } from "../../gateway/operation/operation-list.ts";
import { testConfig } from "../support/config.ts";
import { serveGateway } from "./served.ts";
import { createSmallSubgraphs } from "./small-subgraphs.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-"));
afterAll(() => rmSync(folder, { recursive: true }));

function serve(graphql: object) {
  const { supergraph, subgraphs } = createSmallSubgraphs();
  return serveGateway(subgraphs, createLogger("silent"), supergraph, testConfig({ graphql }));
}

function fileOf(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const COUNT = "{ count }";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const persisted = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });

async function ask({ url }: { readonly url: string }, body: object) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const { data, errors } = await response.json();
  return data ? data : [response.status, errors[0].extensions.code, errors[0].message];
}

describe("automatic persisted queries", () => {
  it("run a document by its hash after the client sent both once", async () => {
    await using gateway = await serve({});
    const extensions = persisted(sha256(COUNT));
    const unknown = [200, "PERSISTED_QUERY_NOT_FOUND", "PersistedQueryNotFound"];
    expect(await ask(gateway, { extensions })).toEqual(unknown);
    expect(await ask(gateway, { query: COUNT, extensions })).toEqual({ count: 2 });
    expect(await ask(gateway, { extensions })).toEqual({ count: 2 });
    const parameters = new URLSearchParams({ extensions: JSON.stringify(extensions) });
    const byGet = await fetch(`${gateway.url}?${parameters}`, { headers: { accept: "application/json" } });
    expect(await byGet.json()).toEqual({ data: { count: 2 } });
  });

  it("refuse a hash of another document, and do not remember it", async () => {
    await using gateway = await serve({});
    const extensions = persisted(sha256("{ thing { id } }"));
    expect(await ask(gateway, { query: COUNT, extensions })).toEqual([
      400,
      "BAD_REQUEST",
      "sha256Hash must be the SHA-256 of the query",
    ]);
    expect(await ask(gateway, { extensions })).toContain("PERSISTED_QUERY_NOT_FOUND");
  });

  it("can be switched off", async () => {
    await using gateway = await serve({ automaticPersistedQueries: false });
    const extensions = persisted(sha256(COUNT));
    expect(await ask(gateway, { query: COUNT, extensions })).toEqual({ count: 2 });
    expect(await ask(gateway, { extensions })).toContain("PERSISTED_QUERY_NOT_SUPPORTED");
  });
});

describe("a list of allowed operations", () => {
  const refused = [403, "FORBIDDEN", "the operation is not in the list of allowed operations"];

  it("allows its documents, by id or as text, and nothing else", async () => {
    await using gateway = await serve({ allowedOperationsFile: fileOf("list.json", { "count-of-things": COUNT }) });
    expect(await ask(gateway, { query: COUNT })).toEqual({ count: 2 });
    expect(await ask(gateway, { extensions: persisted("count-of-things") })).toEqual({ count: 2 });
    for (const query of ["{ thing { id } }", "{ count } ", "mutation { change }", getIntrospectionQuery()])
      expect(await ask(gateway, { query })).toEqual(refused);
    const extensions = persisted(sha256("{ thing { id } }"));
    expect(await ask(gateway, { query: "{ thing { id } }", extensions })).toEqual(refused);
    expect(await ask(gateway, { extensions })).toEqual(refused);
  });

  it("refuses a request without a query as if there were no list", async () => {
    await using gateway = await serve({ allowedOperationsFile: fileOf("list.json", { "count-of-things": COUNT }) });
    for (const body of [{}, { query: "" }, { variables: {} }])
      expect(await ask(gateway, body)).toEqual([400, "BAD_REQUEST", "the request must have a query"]);
  });

  it("holds over WebSocket, but not for operations of this process", async () => {
    await using gateway = await serve({ allowedOperationsFile: fileOf("list.json", { a: COUNT }) });
    const client = createClient({ url: gateway.url.replace("http", "ws"), webSocketImpl: WebSocket });
    await expect(client.iterate({ query: "{ thing { id } }" }).next()).rejects.toMatchObject([
      { message: refused[2], extensions: { code: "FORBIDDEN" } },
    ]);
    await expect(client.iterate({ query: "" }).next()).rejects.toHaveLength(1);
    expect((await client.iterate({ query: COUNT }).next()).value).toEqual({ data: { count: 2 } });
    await client.dispose();
    for (const document of ["{ things { id size } }", "{ skipped: count @skip(if: true) }"]) {
      const run = gateway.graph.prepare(document);
      expect((await run({}, { work: createWork(), requestId: "1" })).errors).toBeUndefined();
    }
  });

  it("can be a manifest of persisted queries", () => {
    const operations = [{ id: "x", name: "Count", type: "query", body: COUNT }];
    const list = readOperationList(
      fileOf("manifest.json", { format: "apollo-persisted-query-manifest", version: 1, operations }),
    );
    expect([list.byId("x"), list.has(COUNT), list.has("{ other }")]).toEqual([COUNT, true, false]);
  });

  it.each([
    ["{", /setting graphql\.allowedOperationsFile is ".*": line 1, column 1: this { is never closed/],
    [{ operations: [] }, "the file must contain an object of documents by id"],
    [{ x: "{ count" }, 'the document with the id "x" cannot be parsed: Syntax Error'],
  ])("that is wrong is refused at the start: %j", (content, message) => {
    const path = fileOf("wrong.json", content);
    expect(() => readOperationList(path)).toThrow(message);
  });
});

describe("introspection", () => {
  it("can be switched off", async () => {
    await using gateway = await serve({ introspection: false });
    expect(await ask(gateway, { query: getIntrospectionQuery() })).toContain("GRAPHQL_VALIDATION_FAILED");
    expect(await ask(gateway, { query: "{ __typename count }" })).toEqual({ __typename: "Query", count: 2 });
    // Without a suggestion of the right name.
    expect(await ask(gateway, { query: "{ counts }" })).toContain('Cannot query field "counts" on type "Query".');
  });
});
