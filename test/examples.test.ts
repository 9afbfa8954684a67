import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { graphql } from "graphql";
import { createLogger } from "../core/observability/logger.ts";
import { createWork } from "../core/work/work.ts";
import { exportArguments } from "../exporter/command/arguments.ts";
import { startExporter } from "../exporter/exporter.ts";
import { createSubgraph as createOperationsSubgraph } from "../subgraphs/operations/subgraph.ts";
import { overSse } from "./federation/subscribe.ts";
import { exportValues } from "./support/exports/export-values.ts";
import { untilEnded } from "./support/exports/operations.ts";
import { indexedAlphaNetwork } from "./support/indexed/alpha-network.ts";
import { serveDemo } from "./support/served-demo.ts";

/** The pages with examples that work with the demo. */
const PAGES = ["README.md", "docs/examples.md", "docs/exports.md", "docs/signatures.md"];
const text = PAGES.map((page) => readFileSync(page, "utf8")).join("\n");

interface Request {
  readonly path: string;
  readonly body: string | undefined;
}

/** The request that a curl command sends. */
function requestOf(command: string): Request {
  const path = /http:\/\/127\.0\.0\.1:4000([^\s']*)/.exec(command)?.[1] ?? "";
  const parameters = [
    ...command.matchAll(/--data-urlencode '(\w+)=([^']*)'/g),
    ...command.matchAll(/-d (\w+)=(\w+)/g),
  ].map(([, name = "", value = ""]) => [name, value]);
  return {
    path: parameters.length > 0 ? `${path}?${new URLSearchParams(parameters)}` : path,
    body: /-d '([^']*)'/.exec(command)?.[1],
  };
}

/** Requests with the responses below them. */
const calls = [...text.matchAll(/```sh\n(curl [^`]*)\n```\n\n```json\n([^`]*)```/g)].map(
  ([, command = "", answer = ""]) => ({ ...requestOf(command), answer: JSON.parse(answer) as unknown }),
);

/** Requests for event streams. */
const streams = [...text.matchAll(/^curl -NG [^`]*$/gm)].map(([command]) => requestOf(command));

/** GraphQL documents, to be run against the demo. */
const documents = [...text.matchAll(/```graphql\n([\s\S]*?)```/g)].map(([, document = ""]) => document);

/** Arguments of the export commands. */
const exports = [...text.matchAll(/^moraine export (--type .*)$/gm)].map(([, args = ""]) => args);

interface Result {
  readonly data: object;
  readonly errors?: unknown;
}

/** The result of a query or mutation, or the first result of a subscription. */
async function firstResult(url: string, query: string): Promise<Result> {
  if (query.startsWith("subscription")) {
    for await (const result of overSse<Result>(url, query)) return result;
    throw new Error(`no result of ${query}`);
  }
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as Result;
}

const JSON_BODY = { "content-type": "application/json" };

describe("the pages with examples", () => {
  it("show a REST, a GraphQL and a JSON-RPC request, an event stream, and signatures", () => {
    expect(calls.map(({ path }) => path.split(/[/?]/)[1])).toEqual(["v1", "graphql", "ext", "v1", "v1"]);
    expect(streams.map(({ path }) => path.split("?")[0])).toEqual(["/graphql"]);
    expect(documents.length).toBeGreaterThan(25);
  });

  it("show the real responses", async () => {
    await using demo = await serveDemo();
    for (const { path, body, answer } of calls) {
      const response = await fetch(demo.url + path, body ? { method: "POST", headers: JSON_BODY, body } : {});
      expect([path, await response.json()]).toEqual([path, answer]);
    }
    for (const { path } of streams) {
      const abort = new AbortController();
      const response = await fetch(demo.url + path, { headers: { accept: "text/event-stream" }, signal: abort.signal });
      const type = response.headers.get("content-type");
      expect([response.status, type]).toEqual([200, expect.stringMatching("event-stream")]);
      abort.abort();
    }
  });

  it("have GraphQL documents with results", async () => {
    await using demo = await serveDemo();
    let operationId = "";
    let cancelToken = "";
    for (const document of documents) {
      const query = document.replace("<operationId>", operationId).replace("<cancelToken>", cancelToken);
      const { data, errors } = await firstResult(`${demo.url}/graphql`, query);
      expect([query, errors]).toEqual([query, undefined]);
      const shown = JSON.stringify(Object.values(data));
      expect([query, shown]).not.toEqual([query, "[null]"]);
      expect([query, shown]).not.toEqual([query, expect.stringContaining('"signableMessage":null')]);
      // A list may be empty in one of several items, but not in all of them.
      for (const [empty, name] of shown.matchAll(/"(\w+)":\[\]/g))
        expect([query, empty, shown]).toEqual([query, empty, expect.stringContaining(`"${name}":[{`)]);
      operationId = /"operationId":"([^"]+)"/.exec(JSON.stringify(data))?.[1] ?? operationId;
      cancelToken = /"cancelToken":"([^"]+)"/.exec(JSON.stringify(data))?.[1] ?? cancelToken;
    }
  });

  it("have commands that export rows of the demo", async () => {
    await using database = await indexedAlphaNetwork();
    const directory = mkdtempSync(join(tmpdir(), "moraine-examples-"));
    const config = { ...database.config, exports: { ...database.config.exports, directory } };
    const logger = createLogger("silent");
    await using operations = await createOperationsSubgraph({ config, database, logger });
    await using _exporter = startExporter({ config, databaseUrl: database.url, logger });
    expect(exports.length).toBe(2);
    for (const args of exports) {
      const { data } = await graphql({
        schema: operations.schema,
        source: `mutation($request: TransactionExportRequest!, $file: ExportFileOptions) {
          startTransactionExport(request: $request, file: $file) { operationId } }`,
        variableValues: { ...exportArguments(await exportValues(args.split(" "))).input },
        contextValue: operations.context({ work: createWork(), requestId: "examples" }),
      });
      const { operationId } = (data as { startTransactionExport: { operationId: string } }).startTransactionExport;
      const ended = await untilEnded(database.pool, operationId);
      expect(ended).toMatchObject({ operation_status: "COMPLETED", row_count: expect.stringMatching(/^[1-9]/) });
    }
    rmSync(directory, { recursive: true });
  });
});
