import { prepared, runTogether } from "../../../core/database/database.ts";
import { NOTIFY_METADATA_REQUEST } from "../../../core/database/metadata-requests.ts";
import type { StatementPool } from "../../../core/database/statement-pool.ts";
import type { Work } from "../../../core/work/work.ts";

/** Stores a request to read metadata again. Its first value is the chain id. Returns false if there is nothing with these values. */
export type RequestMetadata = (values: unknown[], work: Work) => Promise<boolean>;

/** Returns a function that runs a statement that stores a request, and then notifies the indexer of the chain, in one transaction. */
export function createMetadataRequest(pool: StatementPool, name: string, text: string): RequestMetadata {
  const store = prepared<{ count: number }>(pool, name, text);
  const notify = prepared(pool, `notify-${name}`, NOTIFY_METADATA_REQUEST);
  return async (values, work) => {
    const [[row]] = await runTogether([store.with(values), notify.with(values.slice(0, 1))], work);
    return Boolean(row?.count);
  };
}
