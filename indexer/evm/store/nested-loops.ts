import type { Session } from "../../shared/writer.ts";

const JOINS = ["enable_hashjoin", "enable_mergejoin"];
const setJoins = (value: "off" | "DEFAULT"): string =>
  JOINS.map((setting) => `SET LOCAL ${setting} TO ${value}`).join("; ");

/**
 * Runs a statement that joins the changes of a batch with the rows of a large table: PostgreSQL reads the row of each change by an index.
 * It would otherwise read the whole table for batches of about 1,000 changes, because it expects a read by an index to come from a disk. A
 * batch changes mostly rows that are in memory.
 */
export async function withNestedLoops<Result>(session: Session, run: () => Promise<Result>): Promise<Result> {
  await session.query(setJoins("off"));
  // After an error, the transaction is rolled back, which also restores the settings.
  const result = await run();
  await session.query(setJoins("DEFAULT"));
  return result;
}
