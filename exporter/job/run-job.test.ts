import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placementOf } from "../../core/database/placement.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { createNumberedSource } from "../../test/support/exports/numbered-source.ts";
import { startOperation } from "../../test/support/exports/operations.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import type { FileStore } from "../files/file-store.ts";
import { createLocalStore } from "../files/local-store.ts";
import { TIMINGS } from "../timings.ts";
import { JobStopped } from "./abort.ts";
import { runJob } from "./run-job.ts";

it("an attempt that ends while its file is being opened closes the file", async () => {
  await using database = await createTestDatabase();
  const directory = mkdtempSync(join(tmpdir(), "moraine-run-job-"));
  const local = createLocalStore(directory, 1, () => 0);
  const stopNow = new AbortController();
  const store: FileStore = {
    ...local,
    begin(file, signal) {
      stopNow.abort(new JobStopped("the time for storing is over"));
      return local.begin(file, signal);
    },
  };
  const deps = {
    store,
    placement: placementOf({ evmChains: [], primaryNetworks: [] }, database.url),
    createSource: () => createNumberedSource({ rows: 10, rowsPerDay: 10, batchRows: 10, delayMs: 0 }),
    maxRows: 100,
    lifetimeSeconds: 1,
    nowSeconds: () => 0,
    timings: TIMINGS,
    logger: createLogger("silent"),
  };
  const never = new AbortController().signal;
  const signals = { cancel: never, stop: never, stopNow: stopNow.signal };
  expect(await runJob(deps, await startOperation(database.pool), false, signals)).toEqual({ kind: "stopped" });
  // The store gives a file this name when it has closed it.
  const isClosed = ([name]: readonly string[]) => name?.endsWith(".closed") === true;
  await until(async () => readdirSync(directory), isClosed, "the file to be closed");
  rmSync(directory, { recursive: true });
});
