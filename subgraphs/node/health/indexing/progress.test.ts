import { openDatabase } from "../../../../core/database/open-database.ts";
import { createLogger } from "../../../../core/observability/logger.ts";
import { testConfig } from "../../../../test/support/config.ts";
import { createTestDatabase } from "../../../../test/support/database/database.ts";
import { createIndexingProgress } from "./progress.ts";

const chainOf = (chainId: number) => ({
  chainId,
  network: "fuji",
  nodeUrl: "http://127.0.0.1:1",
  chainName: `chain ${chainId}`,
});

it("the progress of some chains has their rows alone, so that the checks of hundreds of chains do not copy those of all", async () => {
  await using created = await createTestDatabase();
  await using database = openDatabase(created.url, 3, createLogger("silent"));
  const config = testConfig({ evmChains: [7, 8].map(chainOf) });
  const indexing = createIndexingProgress(database, config, { refresh: async () => {} }, 5_000);
  await created.pool.query(
    `INSERT INTO chain_progress (chain_id, state, blocks_per_second, updated_at)
     SELECT chain_id, 'FOLLOWING', 0, 0 FROM unnest(ARRAY[7, 8]) AS chain_id`,
  );
  const keysOf = async (...keys: string[]) => [...(await indexing.readOf(keys)).keys()];
  expect(await keysOf("8")).toEqual(["8"]);
  expect(await keysOf("7", "8", "9")).toEqual(["7", "8"]);
  expect([...(await indexing.read()).keys()].toSorted()).toEqual(["7", "8"]);
});
