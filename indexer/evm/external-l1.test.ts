import { createTestDatabase } from "../../test/support/database/database.ts";
import {
  describeExternalL1,
  EXTERNAL_L1,
  indexExternalL1,
  readExternalL1,
} from "../../test/support/indexed/external-l1.ts";
import { ACTIVITY_TABLES, type ActivityRows, expectedActivity } from "../../test/support/oracle/activity-oracle.ts";
import type { FactRow } from "../../test/support/oracle/fact-row.ts";
import { expectedFacts, FACT_TABLES, type Facts } from "../../test/support/oracle/facts-oracle.ts";
import { difference, indexedFacts, indexedRows } from "../../test/support/oracle/facts-rows.ts";
import type { NodeBlock } from "../../test/support/recorded/node-chain.ts";

const COUNTS = {
  evm_transactions: 1986,
  erc20_transfers: 0,
  erc20_tokens: 0,
  erc20_balances: 0,
  erc721_transfers: 705,
  erc1155_transfers: 0,
  nft_contracts: 1,
  nft_items: 705,
  evm_internal_transactions: 3278,
  evm_failures: 0,
  evm_deployments: 0,
  evm_proxy_upgrades: 0,
  icm_events: 0,
  evm_ext_data: 0,
} as const;

describeExternalL1("201 blocks of a real L1", () => {
  let blocks: NodeBlock[];
  let expected: Facts;
  let indexed: Facts;
  const activity: Partial<Record<keyof ActivityRows, FactRow[]>> = {};
  let heads: number[];

  beforeAll(async () => {
    blocks = readExternalL1();
    expected = expectedFacts(EXTERNAL_L1, blocks);
    await using database = await createTestDatabase();
    heads = await indexExternalL1(database, blocks);
    indexed = await indexedFacts(database.pool, EXTERNAL_L1.chainId);
    for (const table of ACTIVITY_TABLES) activity[table] = await indexedRows(database.pool, table, EXTERNAL_L1.chainId);
  }, 90_000);

  it("are all accepted, although they are not consecutive", () => {
    expect(blocks).toHaveLength(201);
    expect(heads).toEqual([99, 199, 200].map((index) => Number(blocks[index]?.block.number)));
  });

  it.each(FACT_TABLES)("%s has exactly the rows of receipts and call trees", (table) => {
    expect(expected[table]).toHaveLength(COUNTS[table]);
    expect(difference(expected[table], indexed[table])).toEqual({ missing: [], extra: [] });
  });

  it.each(ACTIVITY_TABLES)("%s has exactly the rows that a count over all blocks gives", (table) => {
    const rows = expectedActivity(EXTERNAL_L1, blocks, expected)[table];
    expect(rows.length).toBeGreaterThan(20);
    expect(difference(rows, activity[table] ?? [])).toEqual({ missing: [], extra: [] });
  });
});
