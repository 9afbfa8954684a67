import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { metricsText } from "../../core/observability/forked-metrics.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { blockRows } from "../../test/support/exports/blocked-rows.ts";
import { readOperation, startOperation, untilEnded } from "../../test/support/exports/operations.ts";
import { workerPids } from "../../test/support/exports/worker-pids.ts";
import { indexedAlpha } from "../../test/support/indexed/indexed.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { startMetrics } from "../../test/support/metrics.ts";
import { TIMINGS } from "../timings.ts";
import { startExporterProcess } from "./exporter-process.ts";

const ROWS_OF = { address: "0xbee4880dbc658fd44fe9b1259df67a921e1a223f", chainId: "760011" };

const directory = mkdtempSync(join(tmpdir(), "moraine-exporter-process-"));
let alpha: Awaited<ReturnType<typeof indexedAlpha>>;
beforeAll(async () => {
  alpha = await indexedAlpha();
});
afterAll(async () => {
  await alpha[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const start = () =>
  startExporterProcess({
    config: {
      ...alpha.config,
      exports: { ...alpha.config.exports, directory },
      observability: { ...alpha.config.observability, port: 0 },
    },
    databaseUrl: alpha.url,
    logger: createLogger("silent"),
    timings: { ...TIMINGS, sweepMs: 100, deadAfterMs: 300, cleanUpMs: 100 },
  });

const workers = () => workerPids(process.pid);

async function untilListening(): Promise<void> {
  const listeners = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'";
  await until(
    async () => (await alpha.pool.query(`${listeners} AND application_name = 'moraine: new exports'`)).rowCount,
    (count) => count === 1,
    "the exporter to listen",
  );
}

describe("the process that runs exports", () => {
  it("starts with the first job, and a killed one is replaced by another, which completes the file", async () => {
    await using _exporter = start();
    await untilListening();
    expect(workers()).toEqual([]);
    await using blocked = await blockRows(alpha.pool);
    const id = await startOperation(alpha.pool, { rowsOf: ROWS_OF });
    await blocked.untilWaiting();
    const [pid = 0, ...others] = workers();
    expect(others).toEqual([]);
    process.kill(pid, "SIGKILL");
    await until(
      async () => workers(),
      (pids) => pids.length === 1 && pids[0] !== pid,
      "another process",
    );
    const registry = await startMetrics();
    await until(
      () => metricsText(registry),
      (text) =>
        /^process_resident_memory_bytes \d+\nprocess_resident_memory_bytes\{process="exporter"\} \d+$/m.test(text),
      "the metrics of the process",
    );
    await blocked.release();
    expect(await untilEnded(alpha.pool, id)).toMatchObject({ operation_status: "COMPLETED" });
    expect(readdirSync(directory)).toHaveLength(1);
  });

  it("is not needed for the removal of expired operations", async () => {
    const id = await startOperation(alpha.pool);
    await alpha.pool.query(
      "UPDATE operations SET operation_status = 'FAILED', expires_at = 1 WHERE operation_id = $1",
      [id],
    );
    await using _exporter = start();
    await until(
      () => readOperation(alpha.pool, id),
      (operation) => operation === undefined,
      "the removal",
    );
    expect(workers()).toEqual([]);
  });
});
