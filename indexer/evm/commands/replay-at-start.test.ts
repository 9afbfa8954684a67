import { createLogger } from "../../../core/observability/logger.ts";
import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { hashTables } from "../../../test/support/database/tables.ts";
import { C_CHAIN, type CommandChain, startCommandChain } from "../../../test/support/indexed/command-chain.ts";
import { indexedAlpha, untilIndexed } from "../../../test/support/indexed/indexed.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { ACTIVITY_TABLES } from "../../../test/support/oracle/activity-oracle.ts";
import { HOLDING_TABLES } from "../../../test/support/oracle/holdings-oracle.ts";
import { startIndexer } from "../../indexer.ts";
import { chainRules } from "../decode/chain-rules.ts";

let chain: CommandChain;
beforeAll(async () => {
  chain = await startCommandChain();
});
afterAll(() => chain[Symbol.asyncDispose]());

describe("the indexer's next start replays rows", () => {
  /** Runs the indexer until the rows up to the head follow its rules, and returns the progress that it reported. */
  async function restarted(database: TestDatabase, settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const config = chain.chainConfig(settings);
    await using _indexer = startIndexer(testConfig({ evmChains: [config] }), database.url, createLogger("error"));
    const text = "SELECT 1 FROM chain_heads WHERE chain_id = $1 AND block_number = $2 AND rows_version = $3";
    const values = [C_CHAIN, chain.whole.head, chainRules(config).rowsVersion];
    await until(
      async () => (await database.pool.query(text, values)).rowCount,
      (count) => count === 1,
      "rows of these rules",
    );
    await untilIndexed(database, { [C_CHAIN]: chain.whole.head });
  }

  it("that another version computed", async () => {
    await using database = await indexedAlpha();
    await database.pool.query("UPDATE chain_heads SET rows_version = 1 WHERE chain_id = $1", [C_CHAIN]);
    for (const table of [
      "erc721_transfers",
      "evm_deployments",
      "erc20_balances",
      ...ACTIVITY_TABLES,
      ...HOLDING_TABLES,
    ])
      await database.pool.query(`DELETE FROM ${table} WHERE chain_id = $1`, [C_CHAIN]);
    await restarted(database);
    await chain.expectWholeRows(database);
  });

  it("that were computed with other messengers and wrapping tokens; they equal the rows of a fresh index", async () => {
    const others = { teleporterMessengers: [], wrappedNativeTokens: [] };
    await using fresh = await createTestDatabase();
    await restarted(fresh, others);
    await using database = await indexedAlpha();
    await restarted(database, others);
    const remade = await hashTables(database.pool, C_CHAIN);
    expect(remade).toEqual(await hashTables(fresh.pool, C_CHAIN));
    expect((await chain.rowsOf(database, "icm_events")).length).toBeLessThan(chain.whole.tables.icm_events.length);
    expect(remade["erc20_balances"]).not.toEqual(chain.wholeHashes["erc20_balances"]);
    await restarted(database);
    await chain.expectWholeRows(database);
  });

  it("but not if only the order and the letter case of the addresses changed", async () => {
    const one = `0x${"ab".repeat(20)}`;
    const other = `0x${"CD".repeat(20)}`;
    const of = (...teleporterMessengers: string[]) =>
      chainRules(chain.chainConfig({ teleporterMessengers })).rowsVersion;
    expect(of(one, other)).toBe(of(other.toLowerCase(), one.toUpperCase().replace("0X", "0x")));
    expect(of(one, other)).not.toBe(of(one));
    // The value must fit the column.
    expect(of(one, other)).toBeLessThan(2 ** 31);
  });
});
