import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { graphql } from "graphql";
import { createLocalCounters } from "../core/limits/rate-counters.ts";
import { createLogger } from "../core/observability/logger.ts";
import { createWork } from "../core/work/work.ts";
import { parseExportArguments } from "../exporter/command/arguments.ts";
import { startExporter } from "../exporter/exporter.ts";
import { startMoraine } from "../moraine.ts";
import { createOperationsSubgraph } from "../subgraphs/operations/subgraph.ts";
import { overSse } from "./federation/subscribe.ts";
import { untilEnded } from "./support/exports/operations.ts";
import { indexedAlphaNetwork } from "./support/indexed/alpha-network.ts";
import { indexedAlpha } from "./support/indexed/indexed.ts";
import { serveSignatures } from "./support/signatures/served-signatures.ts";

const readme = readFileSync("README.md", "utf8");

/** Requests of the README with the responses below them. */
const calls = [...readme.matchAll(/```sh\n(curl .*)\n```\n\n```json\n([\s\S]*?)```/g)].map(
  ([, command = "", answer = ""]) => ({
    path: /http:\/\/127\.0\.0\.1:4000([^\s']*)/.exec(command)?.[1] ?? "",
    body: /-d '(.*)'/.exec(command)?.[1],
    answer: JSON.parse(answer) as unknown,
  }),
);

const isSigned = ({ path }: { readonly path: string }) => path.includes("/signatureAggregator/");

/** GraphQL documents of the README, to be run against the demo. */
const documents = [...readme.matchAll(/```graphql\n([\s\S]*?)```/g)]
  .flatMap(([, text = ""]) => text.split("\n"))
  .filter((line) => line !== "" && !line.startsWith("#"));

/** Arguments of the README's export commands. */
const exports = [...readme.matchAll(/^npm run export -- (--type .*)$/gm)].map(([, args = ""]) => args);

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

describe("the README", () => {
  it("shows a REST and a GraphQL request", () => {
    expect(calls.map(({ path }) => path.split("/")[1])).toEqual(["v1", "graphql", "v1", "v1"]);
  });

  it.each(calls.filter((call) => !isSigned(call)))(
    "shows the real response of $path",
    async ({ path, body, answer }) => {
      await using database = await indexedAlpha();
      await using moraine = await startMoraine({
        config: database.config,
        database,
        counters: createLocalCounters(),
        logger: createLogger("silent"),
      });
      const init = body ? { method: "POST", headers: { "content-type": "application/json" }, body } : {};
      const response = await fetch(`http://127.0.0.1:${moraine.port}${path}`, init);
      expect(await response.json()).toEqual(answer);
    },
  );

  it("has a GraphQL query with results in the demo", async () => {
    await using database = await indexedAlphaNetwork();
    const { evmChains, primaryNetworks } = database.config;
    const nodeUrl = new URL(evmChains[0]?.nodeUrl ?? "").origin;
    await using signatures = await serveSignatures(database.url, database.config);
    await using moraine = await startMoraine({
      config: { ...database.config, primaryNetworks: primaryNetworks.map((network) => ({ ...network, nodeUrl })) },
      database,
      counters: createLocalCounters(),
      logger: createLogger("silent"),
      signatureServiceUrl: () => signatures.url,
    });
    expect(documents.length).toBeGreaterThan(8);
    for (const { path, body, answer } of calls.filter(isSigned)) {
      const init = body ? { method: "POST", headers: { "content-type": "application/json" }, body } : {};
      const response = await fetch(`http://127.0.0.1:${moraine.port}${path}`, init);
      expect([path, await response.json()]).toEqual([path, answer]);
    }
    let operationId = "";
    let cancelToken = "";
    for (const document of documents) {
      const query = document.replace("<operationId>", operationId).replace("<cancelToken>", cancelToken);
      const { data, errors } = await firstResult(`http://127.0.0.1:${moraine.port}/graphql`, query);
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

  it("has commands that export rows of the demo", async () => {
    await using database = await indexedAlphaNetwork();
    const directory = mkdtempSync(join(tmpdir(), "moraine-readme-"));
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
        variableValues: { ...parseExportArguments(args.split(" ")).input },
        contextValue: operations.context({ work: createWork(), requestId: "readme" }),
      });
      const { operationId } = (data as { startTransactionExport: { operationId: string } }).startTransactionExport;
      const ended = await untilEnded(database.pool, operationId);
      expect(ended).toMatchObject({ operation_status: "COMPLETED", row_count: expect.stringMatching(/^[1-9]/) });
    }
    rmSync(directory, { recursive: true });
  });
});
