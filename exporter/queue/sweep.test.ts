import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { startOperation } from "../../test/support/exports/operations.ts";
import { createLogLines } from "../../test/support/log-lines.ts";
import { createLocalStore } from "../files/local-store.ts";
import { TIMINGS } from "../timings.ts";
import { unlockDeadWorkers } from "./sweep.ts";

const LOCK = `UPDATE graphile_worker._private_jobs SET locked_by = $2, locked_at = now() - interval '1 hour' WHERE key = $1`;

it("the log names a worker as lost only if its export has not ended, and the jobs of all dead workers return to the queue", async () => {
  await using database = await createTestDatabase();
  const { pool } = database;
  const { logger, lines } = createLogLines("info");
  const directory = mkdtempSync(join(tmpdir(), "moraine-sweep-"));
  const store = createLocalStore(directory, 1, () => 0);
  const [running, cancelled] = [await startOperation(pool), await startOperation(pool)];
  await pool.query(LOCK, [running, "worker of a running export"]);
  await pool.query(LOCK, [cancelled, "worker of a cancelled export"]);
  await pool.query("UPDATE operations SET operation_status = 'FAILED', is_cancelled = true WHERE operation_id = $1", [
    cancelled,
  ]);
  await unlockDeadWorkers({ pool, store, timings: TIMINGS, lifetimeSeconds: 1, nowSeconds: () => 0, logger });
  expect(lines).toMatchObject([
    { workers: ["worker of a running export"], msg: "returned the jobs of lost workers to the queue" },
  ]);
  const { rows } = await pool.query("SELECT locked_by FROM graphile_worker.jobs");
  expect(rows).toEqual([{ locked_by: null }, { locked_by: null }]);
  rmSync(directory, { recursive: true });
});
