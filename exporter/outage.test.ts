import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testConfig } from "../test/support/config.ts";
import { createTestDatabase } from "../test/support/database/database.ts";
import { until } from "../test/support/indexed/indexing.ts";
import { createLogLines } from "../test/support/log-lines.ts";
import { startTcpProxy } from "../test/support/node/tcp-proxy.ts";
import { startExporter } from "./exporter.ts";
import { TIMINGS } from "./timings.ts";

const directory = mkdtempSync(join(tmpdir(), "moraine-exports-"));
afterAll(() => rmSync(directory, { recursive: true }));

it("an outage of the database is logged once by each part of the exporter, without stacks, and at its end", async () => {
  await using database = await createTestDatabase();
  await using proxy = await startTcpProxy(database.url);
  const { logger, lines } = createLogLines("info");
  const config = testConfig({ exports: { directory } });
  const databaseUrl = proxy.through(database.url);
  const linesOf = (words: string) => lines.filter(({ msg }) => String(msg).includes(words)).map(({ msg }) => msg);
  const untilLogged = (words: string) =>
    until(
      async () => linesOf(words),
      (found) => found.length > 0,
      words,
    );
  {
    await using _exporter = startExporter({ config, databaseUrl, logger, timings: { ...TIMINGS, sweepMs: 50 } });
    await until(
      async () => {
        const text = "SELECT application_name FROM pg_stat_activity WHERE datname = current_database()";
        return (await database.pool.query(text)).rows.length;
      },
      (sessions) => sessions > 3,
      "the sessions of the exporter",
    );
    proxy.cut();
    await until(
      async () => proxy.refused(),
      (refused) => refused > 30,
      "refused connections",
    );
    proxy.restore();
    await untilLogged("the worker of the job queue works again");
    await untilLogged("the search for jobs of dead workers works again");
  }
  const began = linesOf("fails and is tried again");
  expect(began).toEqual([...new Set(began)]);
  // Which of the two it is depends on whether the connection is cut while the driver reads or between two reads.
  const lost =
    /^the worker of the job queue fails and is tried again: (Connection terminated unexpectedly|read ECONNRESET)$/;
  expect(began).toContainEqual(expect.stringMatching(lost));
  expect(lines.filter(({ err }) => err !== undefined)).toEqual([]);
});
