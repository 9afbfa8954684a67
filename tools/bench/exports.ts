import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { configSchema } from "../../core/config/config-schema.ts";
import { forkWorker } from "../../exporter/process/worker-process.ts";
import { TIMINGS } from "../../exporter/timings.ts";
import { CHAIN_ID, inSession, type Subject } from "./database.ts";
import { megabytes, percentile } from "./figures.ts";
import { createTarget, get, postQuery, type Target, timesAtRate } from "./load.ts";
import { startServer } from "./start-server.ts";
import { EXPORTED_ADDRESS, FILL_EXPORTED } from "./synthetic/filling.ts";
import type { Line } from "./table.ts";

/** Rows of the exported address. More rows take longer. A million takes 0.5 GB in the directory for temporary files. */
const ROWS = Number(process.env["MORAINE_BENCH_EXPORT_ROWS"] ?? 1_000_000);
const RATE = { requestsPerSecond: 50, seconds: 20 } as const;
const POLL_MS = 500;

export interface ExportFigures {
  readonly rows: number;
  readonly rowsPerSecond: number;
  /** Memory of the exporting process before the job, and its maximum during the job. */
  readonly idleBytes: number;
  readonly peakBytes: number;
  /** Time in which 99 % of the requests for a page of E9 are answered, without and beside a running export. */
  readonly idleP99Ms: number;
  readonly exportingP99Ms: number;
}

const MOVE_HEAD = `UPDATE chain_heads h SET block_number = b.block_number, block_hash = b.block_hash
  FROM evm_blocks b WHERE h.chain_id = $1 AND b.chain_id = $1 AND b.block_number = (SELECT max(block_number) FROM evm_blocks WHERE chain_id = $1)`;

/** Exports the transfers of one address as `npm start` does, in a process of its own, beside a server that answers requests. */
export async function measureExport(url: string, { evmChains, address }: Subject): Promise<ExportFigures> {
  await inSession(url, async (client) => {
    await client.query(FILL_EXPORTED, [CHAIN_ID, ROWS]);
    // Only rows up to the last indexed block are exported.
    await client.query(MOVE_HEAD, [CHAIN_ID]);
    await client.query("VACUUM ANALYZE erc20_transfers");
  });
  const directory = mkdtempSync(join(tmpdir(), "moraine-bench-exports-"));
  try {
    await using server = await startServer({ kind: "moraine", url, evmChains });
    await using worker = startWorker({ evmChains, exports: { directory } }, url);
    await using target = createTarget(server.url);
    const page = `/v1/chains/${CHAIN_ID}/addresses/${address}/transactions:listErc20`;
    await percentileMs(target, page);
    const idleP99Ms = await percentileMs(target, page);
    const idleBytes = worker.memoryBytes("VmRSS");
    const operationId = await startExport(target);
    // No other requests are sent meanwhile, as in the measurement before the export.
    const exportingP99Ms = await percentileMs(target, page);
    const { rows, seconds } = await untilCompleted(target, operationId);
    return {
      rows,
      rowsPerSecond: rows / seconds,
      idleBytes,
      peakBytes: worker.memoryBytes("VmHWM"),
      idleP99Ms,
      exportingP99Ms,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Worker extends AsyncDisposable {
  /** Memory of the process (its resident set) now, or at most since its start. Linux only. */
  memoryBytes(field: "VmRSS" | "VmHWM"): number;
}

function startWorker(settings: object, databaseUrl: string): Worker {
  const worker = forkWorker({ config: configSchema.parse(settings), databaseUrl, logLevel: "error", timings: TIMINGS });
  return {
    memoryBytes(field) {
      const status = readFileSync(`/proc/${worker.pid}/status`, "utf8");
      return Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, "m").exec(status)?.[1]) * 1_024;
    },
    [Symbol.asyncDispose]: () => worker.end(),
  };
}

const START = `mutation { startTransactionExport(request: { type: TRANSACTION_EXPORT_EVM, firstDate: "2001-01-01",
  options: { addresses: ["${EXPORTED_ADDRESS}"], includeChains: ["${CHAIN_ID}"] } }) { operationId } }`;

/** Starts the export, and returns the operation's id. */
async function startExport(target: Target): Promise<string> {
  const data = await ask<{ startTransactionExport: { operationId: string } }>(target, START);
  return data.startTransactionExport.operationId;
}

interface Operation {
  readonly operationStatus: string;
  readonly message: string | null;
  readonly startedAtTimestamp: number;
  readonly endedAtTimestamp: number;
  readonly progress: { readonly rows: string };
}

/** Waits for the end of the export. */
async function untilCompleted(target: Target, operationId: string): Promise<{ rows: number; seconds: number }> {
  const fields = "operationStatus message startedAtTimestamp endedAtTimestamp progress { rows }";
  for (;;) {
    const { operation } = await ask<{ operation: Operation }>(
      target,
      `{ operation(operationId: "${operationId}") { ${fields} } }`,
    );
    if (operation.operationStatus === "COMPLETED")
      return {
        rows: Number(operation.progress.rows),
        seconds: operation.endedAtTimestamp - operation.startedAtTimestamp,
      };
    if (operation.operationStatus !== "RUNNING") throw new Error(`the export ended with: ${operation.message}`);
    await sleep(POLL_MS);
  }
}

async function ask<Data>(target: Target, query: string): Promise<Data> {
  const answer = JSON.parse(await target.ask(postQuery(query))) as {
    data: Data;
    errors?: readonly { readonly message: string }[];
  };
  if (answer.errors?.[0]) throw new Error(answer.errors[0].message);
  return answer.data;
}

async function percentileMs(target: Target, path: string): Promise<number> {
  return percentile(await timesAtRate(target, get(path), RATE), 0.99);
}

export function exportLines({ rows, rowsPerSecond, idleBytes, peakBytes, ...times }: ExportFigures): Line[] {
  const count = (value: number) => Math.round(value).toLocaleString("en");
  const { idleP99Ms, exportingP99Ms } = times;
  return [
    ["exports", "", "rows", "rows/s", "memory idle", "at most", "E9 p99 idle", "beside it", "ratio"],
    [
      "EVM transactions",
      "to a local file",
      count(rows),
      count(rowsPerSecond),
      megabytes(idleBytes),
      megabytes(peakBytes),
      `${idleP99Ms.toFixed(1)} ms`,
      `${exportingP99Ms.toFixed(1)} ms`,
      (exportingP99Ms / idleP99Ms).toFixed(2),
    ],
  ];
}
