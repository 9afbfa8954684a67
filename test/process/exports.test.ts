import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import type { Config } from "../../core/config/config-schema.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startExporter } from "../../exporter/exporter.ts";
import { demoConfig } from "../../recordings/demo.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { testConfig } from "../support/config.ts";
import { blockRows } from "../support/exports/blocked-rows.ts";
import { startOperation, untilEnded } from "../support/exports/operations.ts";
import { workerPids } from "../support/exports/worker-pids.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { isRunning, type Running, run } from "./processes.ts";
import { until } from "./until.ts";

const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const ADDRESS = /answers on (http:\/\/[\d.:]+)/;

const directory = mkdtempSync(join(tmpdir(), "moraine-process-exports-"));
afterAll(() => rmSync(directory, { recursive: true }));

interface Watched {
  readonly operationId: string;
  readonly operationStatus: string;
}

const API_KEY = "key-of-the-test";

/** Watches all operations of the key. Resolves with the statuses of each when `count` of them have ended. */
async function watchUntilEnded(url: string, count: number): Promise<Map<string, string[]>> {
  const client = createClient({
    url: `${url.replace("http", "ws")}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { "x-service-api-key": API_KEY },
  });
  const statuses = new Map<string, string[]>();
  let ended = 0;
  for await (const { data } of client.iterate<{ operationsUpdated: Watched }>({
    query: "subscription { operationsUpdated { operationId operationStatus } }",
  })) {
    if (!data) throw new Error("the subscription sent no data");
    const { operationId, operationStatus } = data.operationsUpdated;
    const known = statuses.get(operationId) ?? [];
    statuses.set(operationId, known);
    if (known.at(-1) !== operationStatus) known.push(operationStatus);
    if (operationStatus !== "RUNNING") ended++;
    if (ended === count) break;
  }
  await client.dispose();
  return statuses;
}

async function graph<Data>(url: string, query: string, variables: object = {}): Promise<Data> {
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-service-api-key": API_KEY },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

describe("exports in several processes", () => {
  let alpha: Awaited<ReturnType<typeof indexedAlpha>>;
  let config: Config;
  let env: Readonly<Record<string, string>>;
  let one: Running;
  let other: Running;

  beforeAll(async () => {
    alpha = await indexedAlpha();
    const MORAINE_CONFIG = join(directory, "moraine.json");
    const { manifest } = openRecording(ALPHA);
    const evmChains = demoConfig(manifest, alpha.config.evmChains[0]?.nodeUrl?.replace(/\/ext.*/, "") ?? "");
    const settings = { evmChains, apiKeys: [{ key: API_KEY }], exports: { directory: join(directory, "files") } };
    writeFileSync(MORAINE_CONFIG, JSON.stringify(settings));
    config = testConfig(settings);
    env = { MORAINE_CONFIG, DATABASE_URL: alpha.url, PORT: "0", LOG_LEVEL: "warn" };
    one = await run("start", env);
    other = await run("start", env);
  });
  afterAll(async () => {
    for (const resource of [one, other, alpha]) await resource[Symbol.asyncDispose]();
  });

  it("are watched on every replica, whichever worker runs them", async () => {
    const [, oneUrl = ""] = await one.until(ADDRESS);
    const [, otherUrl = ""] = await other.until(ADDRESS);
    const watched = [watchUntilEnded(oneUrl, 4), watchUntilEnded(otherUrl, 4)];
    const started: string[] = [];
    for (const [at, url] of [oneUrl, otherUrl, oneUrl, otherUrl].entries()) {
      const request = {
        type: "TRANSACTION_EXPORT_EVM",
        firstDate: `2020-01-0${at + 1}`,
        options: { addresses: [WALLET], includeChains: ["760011", "760012"] },
      };
      const query = `mutation($request: TransactionExportRequest!) { startTransactionExport(request: $request) { operationId } }`;
      started.push(
        (await graph<{ startTransactionExport: Watched }>(url, query, { request })).startTransactionExport.operationId,
      );
    }
    const expected = Object.fromEntries(started.map((id) => [id, ["RUNNING", "COMPLETED"]]));
    for (const statuses of await Promise.all(watched)) expect(Object.fromEntries(statuses)).toEqual(expected);
  });

  it("are given back when `npm start` gets SIGTERM or is killed; no process remains, and the next one completes them", async () => {
    await using blocked = await blockRows(alpha.pool);
    const id = await startOperation(alpha.pool, { rowsOf: { address: WALLET, chainId: "760011" } });
    await blocked.untilWaiting();
    const workers = [one, other].flatMap(({ child }) => workerPids(child.pid));
    expect(workers).toHaveLength(2);
    const ended = once(one.child, "exit");
    one.child.kill("SIGTERM");
    other.child.kill("SIGKILL");
    expect(await ended).toEqual([0, null]);
    await until(
      () => !workers.some(isRunning),
      () => `processes: ${workers}`,
    );
    const { rows } = await alpha.pool.query("SELECT attempts, locked_by FROM graphile_worker.jobs");
    expect(rows).toEqual([{ attempts: 0, locked_by: null }]);
    await blocked.release();
    await using _next = startExporter({ config, databaseUrl: alpha.url, logger: createLogger("silent") });
    expect(await untilEnded(alpha.pool, id)).toMatchObject({ operation_status: "COMPLETED" });
  });
});
