import { createManualClock } from "../test/support/clock.ts";
import { testConfig } from "../test/support/config.ts";
import { createTestDatabase } from "../test/support/database/database.ts";
import { until } from "../test/support/indexed/indexing.ts";
import { createLogLines } from "../test/support/log-lines.ts";
import { runAsWriter, type WriterRun } from "./run-as-writer.ts";
import { createWriterSessions } from "./shared/writer-sessions.ts";

const DISK_FULL = "could not extend file: No space left on device";

it("a full disk is logged once, without a stack, with growing pauses until all parts have worked for ten seconds", async () => {
  await using database = await createTestDatabase();
  await using writers = createWriterSessions({ url: database.url, most: 1 });
  const { logger, lines } = createLogLines("info");
  const clock = createManualClock();
  const stop = new AbortController();
  const runs: WriterRun[] = [];
  let isFull = true;
  const running = runAsWriter(
    { config: testConfig(), writers, logger, lastError: null, stop: stop.signal, clock },
    "primary 5",
    { networkId: "5" },
    async (run) => {
      runs.push(run);
      // Chains without new blocks work, and a part that writes fails.
      run.restarts.worked();
      if (isFull) throw Object.assign(new Error(DISK_FULL), { code: "53100" });
      await new Promise((_, reject) => stop.signal.addEventListener("abort", () => reject(stop.signal.reason)));
    },
  );
  const pauses: number[] = [];
  for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
    await until(
      async () => clock.pending,
      ([last]) => last === pauseMs,
      `a pause of ${pauseMs} ms`,
    );
    pauses.push(pauseMs);
    if (pauses.length === 6) isFull = false;
    clock.advance(pauseMs);
  }
  await until(
    async () => runs.length,
    (count) => count === 7,
    "the run that works",
  );
  expect(runs.at(-1)?.restarts).toMatchObject({
    lastError: "the indexing failed and restarts (the database cannot be used: its disk is full)",
  });
  expect(runs.at(-1)?.restarts.isFailing()).toBe(true);
  clock.advance(10_000);
  await until(
    async () => lines.length,
    (count) => count === 2,
    "the end of the outage",
  );
  stop.abort(new Error("the indexer stops"));
  await running;
  expect(lines).toEqual([
    {
      level: 50,
      networkId: "5",
      reason: DISK_FULL,
      msg: `the indexing fails and is tried again: ${DISK_FULL}`,
    },
    {
      level: 30,
      networkId: "5",
      seconds: expect.any(Number),
      failures: 6,
      msg: expect.stringMatching(/^the indexing works again after \d+ s and 6 failures$/),
    },
  ]);
});
