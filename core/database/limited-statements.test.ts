import type { Socket } from "node:net";
import type pg from "pg";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { openDriverPool } from "../../test/support/database/driver-pool.ts";
import { runLimited } from "./limited-statements.ts";

const LIMIT_MS = 60_000;

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openDriverPool(database.url);
});
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

const sleeping = (client: pg.PoolClient) => client.query("SELECT pg_sleep(60)");

describe("statements with a limit of time", () => {
  it("fail if their connection is lost without a message, and the next ones have another connection", async () => {
    const lost = runLimited(pool, LIMIT_MS, (client) => {
      const { connection } = client as pg.PoolClient & { readonly connection: { readonly stream: Socket } };
      setImmediate(() => connection.stream.destroy());
      return sleeping(client);
    });
    await expect(lost).rejects.toThrow("Connection terminated");
    expect((await runLimited(pool, LIMIT_MS, (client) => client.query("SELECT 1 AS one"))).rows).toEqual([{ one: 1 }]);
  });

  it("fail when they take longer, and their connection is closed", async () => {
    await expect(runLimited(pool, 20, sleeping)).rejects.toThrow("the database has not answered within 20 ms");
    expect(pool.totalCount).toBe(0);
  });

  it("leave no listener at a connection that is used again", async () => {
    const listeners = () => runLimited(pool, LIMIT_MS, async (client) => client.listenerCount("error"));
    expect([await listeners(), await listeners()]).toEqual([await listeners(), await listeners()]);
  });
});
