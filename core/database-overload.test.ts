import pg from "pg";
import { createTestDatabase, type TestDatabase } from "../test/support/database/database.ts";
import { prepared } from "./database.ts";

describe("a statement that gets no database connection", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it("fails with the reason that the service is overloaded, while all connections of the pool are in use", async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 1, connectionTimeoutMillis: 50 });
    const client = await pool.connect();
    const message = "the service is overloaded: no database connection became free in time";
    await expect(prepared(pool, "one", "SELECT 1")([])).rejects.toMatchObject({ code: "UNAVAILABLE", message });
    client.release();
    await pool.end();
  });

  it("fails with the reason that the database cannot be reached, if nothing listens at its port", async () => {
    const pool = new pg.Pool({ connectionString: "postgres://127.0.0.1:1/none", max: 1 });
    const message = "the database cannot be reached";
    await expect(prepared(pool, "one", "SELECT 1")([])).rejects.toMatchObject({ code: "UNAVAILABLE", message });
    await pool.end();
  });
});
