import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Avalanche } from "@avalanche-sdk/chainkit";
import { BadRequestError, NotFoundError } from "@avalanche-sdk/chainkit/models/errors";
import { parse } from "csv-parse/sync";
import { createLogger } from "../../core/logger.ts";
import { type Exporter, startExporter } from "../../exporter/exporter.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { createOracle } from "../support/oracle/oracle.ts";
import { type Stack, startStack } from "../support/stack.ts";

const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const oracle = createOracle(openRecording(ALPHA), 760011);

let alpha: Awaited<ReturnType<typeof indexedAlpha>>;
let stack: Stack;
let exporter: Exporter;
let directory: string;
beforeAll(async () => {
  alpha = await indexedAlpha();
  directory = mkdtempSync(join(tmpdir(), "moraine-exports-"));
  const config = { ...alpha.config, exports: { ...alpha.config.exports, directory } };
  stack = await startStack({ database: alpha, config, settings: { exports: { directory } } });
  exporter = await startExporter({ config, databaseUrl: alpha.url, logger: createLogger("silent") });
});
afterAll(async () => {
  await exporter[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
  await alpha[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** As in chainkit.test.ts: without telemetry and retries. */
const client = new Avalanche({
  network: "fuji",
  enableTelemetry: false,
  retryConfig: { strategy: "none" },
  timeoutMs: 10_000,
});

const at = () => ({ serverURL: `${stack.url}/hosted` });

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
    const started = await client.data.operations.exportTransactions(request(WALLET), at());
    expect(started).toMatchObject({ operationType: "TRANSACTION_EXPORT_EVM", operationStatus: "RUNNING" });
    const { operationStatus, metadata } = await ended(started.operationId);
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
    exporter = await startExporter({
      config: { ...alpha.config, exports: { ...alpha.config.exports, directory } },
      databaseUrl: alpha.url,
      logger: createLogger("silent"),
    });
  });

  it("E3 with a wrong body and E4 with an unknown id throw the client's errors", async () => {
    const wrong = client.data.operations.exportTransactions(request(WALLET, "2023-02-30"), at());
    await expect(wrong).rejects.toThrow(BadRequestError);
    const operationId = "00000000-0000-4000-8000-000000000000";
    await expect(client.data.operations.getResult({ operationId }, at())).rejects.toThrow(NotFoundError);
  });
});
