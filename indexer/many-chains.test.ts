import { setTimeout as sleep } from "node:timers/promises";
import { createLogger } from "../core/observability/logger.ts";
import { testConfig } from "../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../test/support/database/database.ts";
import { startStack } from "../test/support/stack.ts";
import { startManyChains } from "../tools/bench/synthetic/many-chains.ts";
import { startIndexer } from "./indexer.ts";

const CHAINS = 200;
const FIRST_CHAIN_ID = 6_000_000;
/** Of a chain without events. */
const PARTITIONS = 7;
const TIMEOUT_MS = 300_000;

const IN_DATABASE = "FROM pg_stat_activity WHERE datname = current_database()";
const WRITERS = `${IN_DATABASE} AND application_name = 'moraine writer'`;

async function count({ pool }: TestDatabase, from: string): Promise<number> {
  return (await pool.query<{ n: number }>(`SELECT count(*)::int AS n ${from}`)).rows[0]?.n ?? 0;
}

it(
  "two hundred chains are followed in eight database sessions, while the API answers",
  async () => {
    await using node = await startManyChains({ head: 1 });
    await using database = await createTestDatabase();
    const chainIds = Array.from({ length: CHAINS }, (_, i) => FIRST_CHAIN_ID + i);
    const evmChains = chainIds.map((chainId) => ({
      chainId,
      network: "fuji",
      nodeUrl: node.urlOf(chainId),
      chainName: `Chain ${chainId}`,
    }));
    const config = testConfig({ evmChains, indexing: { pollIntervalMs: 2_000 } });
    await using stack = await startStack({ database, config });
    await using _indexer = startIndexer(config, database.url, createLogger("silent"));
    let sessions = 0;
    const untilIndexed = async (head: number) => {
      // The partitions of two hundred chains take longer than other conditions that tests wait for.
      while ((await count(database, `FROM chain_heads WHERE block_number = ${head}`)) < CHAINS) {
        sessions = Math.max(sessions, await count(database, WRITERS));
        await sleep(100);
      }
    };
    await untilIndexed(1);
    node.head = 2;
    await untilIndexed(2);
    expect(sessions).toBe(8);
    expect(await count(database, "FROM pg_class WHERE relispartition AND relkind = 'r'")).toBe(CHAINS * PARTITIONS);

    // A session that is lost takes the locks of an eighth of the chains with it.
    await database.pool.query(`SELECT pg_terminate_backend(pid) ${WRITERS} LIMIT 1`);
    node.head = 3;
    await untilIndexed(3);
    expect(sessions).toBe(8);
    const last = await stack.get(`/v1/chains/${chainIds.at(-1)}/blocks?pageSize=1`);
    expect(last).toMatchObject({ status: 200, body: { blocks: [{ blockNumber: "3" }] } });
    const { body } = await stack.get("/v1/chains");
    expect((body as { chains: object[] }).chains).toHaveLength(CHAINS);
  },
  TIMEOUT_MS,
);
