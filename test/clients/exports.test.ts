import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BadRequestError, NotFoundError } from "@avalanche-sdk/chainkit/models/errors";
import { parse } from "csv-parse/sync";
import { type Moraine, startMoraine } from "../../commands/moraine.ts";
import { createLocalCounters } from "../../core/limits/rate-counters.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startExporter } from "../../exporter/exporter.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { createOracle } from "../support/oracle/oracle.ts";
import { createOfficialClient } from "./official-client.ts";

const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const oracle = createOracle(openRecording(ALPHA), 760011);

let alpha: Awaited<ReturnType<typeof indexedAlpha>>;
let moraine: Moraine;
let exporter: AsyncDisposable;
let directory: string;
const logger = createLogger("silent");
const configured = () => ({ ...alpha.config, port: 0, exports: { ...alpha.config.exports, directory } });
const started = () => startExporter({ config: configured(), databaseUrl: alpha.url, logger });
beforeAll(async () => {
  alpha = await indexedAlpha();
  directory = mkdtempSync(join(tmpdir(), "moraine-exports-"));
  moraine = await startMoraine({
    config: configured(),
    database: alpha,
    counters: createLocalCounters(),
    logger,
    idleGraceMs: 0,
  });
  exporter = started();
});
afterAll(async () => {
  await exporter[Symbol.asyncDispose]();
  await moraine[Symbol.asyncDispose]();
  await alpha[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const client = createOfficialClient();

const at = () => ({ serverURL: `http://127.0.0.1:${moraine.port}/hosted` });

const request = (address: string, firstDate = "2020-01-01") => ({
  type: "TRANSACTION_EXPORT_EVM" as const,
  firstDate,
  options: { addresses: [address], includeChains: ["760011"] },
});

async function ended(operationId: string) {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(50)) {
    const result = await client.data.operations.getResult({ operationId }, at());
    if (result.operationStatus !== "RUNNING") return result;
  }
  throw new Error(`operation ${operationId} did not end`);
}

describe("the official client @avalanche-sdk/chainkit at /hosted", () => {
  it("E3 and E4 export the transactions of a wallet into a file", async () => {
    const operation = await client.data.operations.exportTransactions(request(WALLET), at());
    expect(operation).toMatchObject({ operationType: "TRANSACTION_EXPORT_EVM", operationStatus: "RUNNING" });
    const { operationStatus, metadata } = await ended(operation.operationId);
    expect(operationStatus).toBe("COMPLETED");
    const response = await fetch(metadata?.downloadUrl ?? "");
    const text = await response.text();
    expect(response.headers.get("etag")).toBe(`"${createHash("sha256").update(text).digest("hex")}"`);
    const rows = parse(text, { columns: true }) as Record<string, string>[];
    const transfers = rows.filter(({ RowType }) => RowType === "ERC20").map(({ Value }) => Value);
    expect(transfers.reverse()).toEqual(oracle.transfersOf(WALLET).map(({ value }) => value));
  });

  it("E3 sent again while the job runs starts no second job", async () => {
    await exporter[Symbol.asyncDispose]();
    const sent = request(`0x${"12".repeat(20)}`);
    const all = await Promise.all([1, 2, 3].map(() => client.data.operations.exportTransactions(sent, at())));
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(1);
    exporter = started();
  });

  it("E3 with a wrong body and E4 with an unknown id throw the client's errors", async () => {
    const wrong = client.data.operations.exportTransactions(request(WALLET, "2023-02-30"), at());
    await expect(wrong).rejects.toThrow(BadRequestError);
    const operationId = "00000000-0000-4000-8000-000000000000";
    await expect(client.data.operations.getResult({ operationId }, at())).rejects.toThrow(NotFoundError);
  });
});
