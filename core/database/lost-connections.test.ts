import { asSuperuser, createTestDatabase } from "../../test/support/database/database.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { createLogLines } from "../../test/support/log-lines.ts";
import { openPool } from "./database.ts";

it("idle database connections that are lost together are logged once, and when the pool connects again", async () => {
  await using database = await createTestDatabase();
  const { logger, lines } = createLogLines("info");
  await using own = openPool(database.url, 3, logger);
  const sessions = await Promise.all([1, 2, 3].map(() => own.pool.connect()));
  const pids = await Promise.all(
    sessions.map(async (one) => (await one.query("SELECT pg_backend_pid() AS pid")).rows[0].pid),
  );
  for (const session of sessions) session.release();
  await asSuperuser(database.url, "SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid", [pids]);
  await until(
    async () => own.pool.totalCount,
    (count) => count === 0,
    "the loss of all connections",
  );
  await own.pool.query("SELECT 1");
  expect(lines.map(({ msg }) => msg)).toEqual([
    expect.stringMatching(/^the pool "api" of database connections fails and is tried again: terminating connection/),
    expect.stringMatching(/^the pool "api" of database connections works again after \d+ s and 3 failures$/),
  ]);
  expect(lines[0]).not.toHaveProperty("err");
});
