import { NOTIFY_METADATA_REQUEST } from "../../core/database/metadata-requests.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { createMetadataRequests } from "./metadata-requests.ts";

const SESSION = "datname = current_database() AND application_name = 'moraine: requests for metadata'";

/** Counts the requests of chains 1 and 2. */
async function openCounts() {
  const { pool, ...database } = await createTestDatabase();
  const requests = createMetadataRequests(pool, createLogger("silent"));
  const counts = { 1: 0, 2: 0 };
  const listening = ([1, 2] as const).map((chain) => requests.listen(String(chain), () => void counts[chain]++));
  const reach = (one: number, two: number) =>
    until(
      async () => counts,
      () => counts[1] === one && counts[2] === two,
      `${one} requests of chain 1 and ${two} of chain 2`,
    );
  await reach(1, 1);
  return {
    pool,
    reach,
    listening,
    notify: (chainId: string) => pool.query(NOTIFY_METADATA_REQUEST, [chainId]),
    async [Symbol.asyncDispose]() {
      await requests[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

describe("requests to read metadata again", () => {
  it("reach only the indexer of their chain, until it ends", async () => {
    await using opened = await openCounts();
    await opened.notify("2");
    await opened.notify("3");
    await opened.notify("no chain");
    await opened.reach(1, 2);
    opened.listening[1]?.[Symbol.dispose]();
    await opened.notify("2");
    await opened.notify("1");
    await opened.reach(2, 2);
  });

  it("may have been missed by all chains when the connection was lost", async () => {
    await using opened = await openCounts();
    await opened.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${SESSION}`);
    await opened.reach(2, 2);
    await opened.notify("1");
    await opened.reach(3, 2);
  });
});
