import { createTestDatabase } from "../../../test/support/database/database.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { createLogger } from "../../observability/logger.ts";
import { openPool, unavailable } from "../database.ts";
import { openSession } from "./connect.ts";

describe("a server that has no free connection", () => {
  it("lets requests wait until one is free, and fails them with the reason after the limit of a busy pool", async () => {
    await using database = await createTestDatabase();
    const name = new URL(database.url).pathname.slice(1);
    await database.pool.query(`ALTER DATABASE ${name} CONNECTION LIMIT 2`);
    const held = await openSession(database.url);
    await using waiting = openPool(database.url, 5, createLogger("silent"));
    waiting.pool.options.connectionTimeoutMillis = 60_000;
    await using hasty = openPool(database.url, 5, createLogger("silent"));
    hasty.pool.options.connectionTimeoutMillis = 200;
    await expect(hasty.pool.query("SELECT 1")).rejects.toMatchObject({ code: "53300" });
    const error: unknown = await hasty.pool.query("SELECT 1").catch((reason: unknown) => reason);
    expect(unavailable(error)?.message).toBe("the service is overloaded: the database accepts no more connections");
    let answers = 0;
    const all = Promise.all(Array.from({ length: 10 }, () => waiting.pool.query("SELECT 1").then(() => answers++)));
    expect(answers).toBe(0);
    await held.end();
    await until(
      async () => answers,
      (count) => count === 10,
      "the answers",
    );
    await all;
  });
});

it("a callback that gives its connection back twice does not give back the connection of the next caller", async () => {
  await using database = await createTestDatabase();
  await using opened = openPool(database.url, 1, createLogger("silent"));
  const { pool } = opened;
  const giveBack = await new Promise<() => void>((resolve, reject) => {
    pool.connect((error, _client, done) => (error ? reject(error) : resolve(done)));
  });
  giveBack();
  const next = await pool.connect();
  giveBack();
  expect(pool.idleCount).toBe(0);
  next.release();
});
