import type pg from "pg";
import type { Session } from "../../shared/writer.ts";

/**
 * Hash and merge joins are off: PostgreSQL could read a whole table for a few rows. A statement that takes longer than the time limit fails,
 * so that the versions of rows that others replace meanwhile can be removed.
 */
const SETTINGS = ["enable_hashjoin = off", "enable_mergejoin = off", "statement_timeout = '60s'"];
const BEGIN = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", ...SETTINGS.map((one) => `SET LOCAL ${one}`)].join(
  "; ",
);

/** Runs a task whose statements all see the same rows, and write nothing. */
export async function withSnapshot<Result>(
  client: pg.Client,
  task: (session: Session) => Promise<Result>,
): Promise<Result> {
  await client.query(BEGIN);
  try {
    return await task({
      query: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
        (await client.query<Row>(text, [...values])).rows,
      copy: () => Promise.reject(new Error("nothing can be written in a transaction that only reads")),
    });
  } finally {
    await client.query("ROLLBACK");
  }
}
