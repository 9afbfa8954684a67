import pg from "pg";

/**
 * A pool of the driver with one connection. `pg.Pool.end` does not wait until PostgreSQL has closed the session. If the database is
 * dropped meanwhile, the session fails, and without a listener that error would fail the test.
 */
export function openDriverPool(url: string): pg.Pool & AsyncDisposable {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on("error", () => {});
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() });
}
