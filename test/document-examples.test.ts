import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createLogger } from "../core/observability/logger.ts";
import { startExporter } from "../exporter/exporter.ts";
import { type Examples, readExamples } from "../rest-compat/rest/documents/examples.ts";
import { openRpcDocument } from "../rest-compat/rest/documents/openrpc.ts";
import type { Dialect } from "../rest-compat/routes.ts";
import {
  expectContract,
  HOSTED_SPEC,
  resolved,
  SPEC,
  type Spec,
  type SpecOperation,
  type SpecParameter,
} from "./conformance/contract.ts";
import { serveDemo } from "./support/served-demo.ts";

/** Optional parameters of requests that are refused without them, or whose answers would be long. */
const SENT: Readonly<Record<string, string>> = {
  listHistoricalRewards: "nodeIds",
  listPrimaryNetworkTransactions: "addresses",
};
/** More items would not show more. */
const PAGE_SIZE = "2";

/** Members that differ between two runs, also of a page token that contains the time. */
const CHANGING = new Set([
  "nextPageToken",
  "operationId",
  "createdAtTimestamp",
  "updatedAtTimestamp",
  "downloadUrl",
  "signedMessage",
]);

/** A value with the types of changing members instead of their values, and with the names of health checks instead of their results. */
function steady(value: unknown, name = ""): unknown {
  if (CHANGING.has(name)) return typeof value;
  if (name === "checks") return Object.keys(Object(value));
  if (Array.isArray(value)) return value.map((item) => steady(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, steady(member, key)]));
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(steady(one)) === JSON.stringify(steady(other));

interface Call {
  readonly path: string;
  readonly method: string;
  readonly operation: SpecOperation;
}

function callsOf(spec: Spec): Call[] {
  const calls = Object.entries(spec.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  // Its answer is a file.
  const documented = calls.filter(({ operation }) => operation.operationId !== "downloadExport");
  // The started export is the operation that is read.
  return documented.sort((one, other) => Number(other.method === "POST") - Number(one.method === "POST"));
}

type Parameter = SpecParameter & { readonly in: string };

/** The path and query of a request, made from the examples of the parameters. */
function targetOf({ path, operation }: Call, spec: Spec): string {
  const parameters = (operation.parameters ?? []).map(({ $ref }) => resolved<Parameter>($ref, spec));
  const exampleOf = ({ name, example, schema }: Parameter) =>
    name === "pageSize" ? PAGE_SIZE : String(example ?? schema.examples?.[0]);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(exampleOf(parameters.find((one) => one.in === "path" && one.name === name) as Parameter)),
  );
  const names = ["pageSize", SENT[operation.operationId]];
  const query = parameters.filter((one) => one.in === "query" && (one.required || names.includes(one.name)));
  return `${filled}?${new URLSearchParams(query.map((one) => [one.name, exampleOf(one)]))}`;
}

/** The body of a success, which is valid against the specification. */
async function answerTo(url: string, prefix: string, target: string, { method, path, operation }: Call) {
  const [example] = Object.values(operation.requestBody?.content["application/json"].examples ?? {});
  const sent = example && { body: JSON.stringify(example.value), headers: { "content-type": "application/json" } };
  const response = await fetch(url + prefix + target, { method, ...sent });
  const body: unknown = await response.json();
  expect([method, prefix + target, response.status, body]).toEqual([
    method,
    prefix + target,
    prefix !== "" && "201" in operation.responses ? 201 : 200,
    expect.anything(),
  ]);
  expectContract(method, prefix + path, response.status, body);
  return body;
}

async function restExamples(url: string): Promise<Examples["rest"]> {
  const examples: Record<string, Partial<Record<Dialect, unknown>>> = {};
  let started = "";
  for (const [dialect, prefix, spec] of [
    ["contract", "", SPEC],
    ["hosted", "/hosted", HOSTED_SPEC],
  ] as const)
    for (const call of callsOf(spec)) {
      const { operationId } = call.operation;
      const target = operationId === "getOperation" ? `/v1/operations/${started}` : targetOf(call, spec);
      const body = await answerTo(url, prefix, target, call);
      if (operationId === "startTransactionExport") started = await untilCompleted(url, body);
      const known = examples[operationId] ?? {};
      if (!isSame(known.contract, body)) examples[operationId] = { ...known, [dialect]: body };
    }
  return examples;
}

/** The id of a started export, when it has completed. */
async function untilCompleted(url: string, started: unknown): Promise<string> {
  const { operationId } = started as { readonly operationId: string };
  const status = async () => {
    const response = await fetch(`${url}/v1/operations/${operationId}`);
    return ((await response.json()) as { readonly operationStatus: string }).operationStatus;
  };
  while ((await status()) === "RUNNING") await sleep(50);
  expect(await status()).toBe("COMPLETED");
  return operationId;
}

async function rpcExamples(url: string): Promise<Examples["rpc"]> {
  const results: Record<string, unknown> = {};
  for (const { name, servers, params } of openRpcDocument().methods) {
    const examples = params.map((one) => [one.name, one.schema.examples[0]]);
    const response = await fetch(`${url}/${servers[0].url}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params: Object.fromEntries(examples) }),
    });
    const { result } = (await response.json()) as { readonly result: unknown };
    expect([name, result]).toEqual([name, expect.anything()]);
    results[name] = result;
  }
  return results;
}

it("spec/examples.json has the answers of the demo to the examples of all parameters", async () => {
  const directory = mkdtempSync(join(tmpdir(), "moraine-document-examples-"));
  await using demo = await serveDemo({ directory });
  const logger = createLogger("silent");
  await using _exporter = startExporter({ config: demo.config, databaseUrl: demo.databaseUrl, logger });
  while (/not yet run/.test(await (await fetch(`${demo.url}/ext/health`)).text())) await sleep(20);
  const answers: Examples = { rest: await restExamples(demo.url), rpc: await rpcExamples(demo.url) };
  // `npm run generate` has no database.
  if (process.env["MORAINE_WRITE_EXAMPLES"] === "1")
    writeFileSync("spec/examples.json", `${JSON.stringify(answers, null, 2)}\n`);
  expect(steady(readExamples())).toEqual(steady(answers));
  rmSync(directory, { recursive: true });
});
