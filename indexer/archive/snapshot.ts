import type pg from "pg";
import type { Queries } from "../shared/writer.ts";

/** Runs a task that reads the database as it is at one moment. */
export async function inSnapshot<Result>(
  client: pg.Client,
  task: (session: Queries) => Promise<Result>,
): Promise<Result> {
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  try {
    return await task({
      query: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
        (await client.query<Row>(text, [...values])).rows,
    });
  } finally {
    await client.query("COMMIT");
  }
}
