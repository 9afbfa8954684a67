import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { testConfig } from "../../test/support/config.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { TIMINGS } from "../timings.ts";
import { forkWorker } from "./worker-process.ts";

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), "worker.ts");

describe("the process that runs exports", () => {
  it("starts from its TypeScript source, also from a process without the loader, and ends when it is asked to", async () => {
    await using database = await createTestDatabase();
    const input = { config: testConfig(), databaseUrl: database.url, logLevel: "fatal", timings: TIMINGS };
    const worker = forkWorker(input, SOURCE);
    // The connections of the test's own pool have the name moraine.
    const connections =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name NOT IN ('moraine', '')";
    await until(
      async () => (await database.pool.query(connections)).rowCount ?? 0,
      (count) => count > 0,
      "the process to connect",
    );
    await worker.end();
    expect(await worker.ended).toBe("code 0");
  });
});
