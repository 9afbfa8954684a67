import { restoreSettings, useSettings } from "../../../core/database/transaction-settings.ts";
import { allEnded } from "../../shared/all-ended.ts";
import type { Session } from "../../shared/writer.ts";

const NESTED_LOOPS = { enable_hashjoin: "off", enable_mergejoin: "off" };

/**
 * Runs a statement that joins the changes of a batch with the rows of a large table: PostgreSQL reads the row of each change by an index.
 * It would otherwise read the whole table for batches of about 1,000 changes, because it expects a read by an index to come from a disk. A
 * batch changes mostly rows that are in memory.
 */
export async function withNestedLoops<Result>(session: Session, run: () => Promise<Result>): Promise<Result> {
  // No statement of another part of the transaction may be called between these three, so none of them waits for the previous one.
  const { result } = await allEnded({
    used: useSettings(session, NESTED_LOOPS),
    result: run(),
    restored: restoreSettings(session, NESTED_LOOPS),
  });
  return result;
}
