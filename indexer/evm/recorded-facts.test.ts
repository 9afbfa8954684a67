import { openRecording } from "../../recordings/recording.ts";
import type { TestDatabase } from "../../test/support/database/database.ts";
import { indexedChains } from "../../test/support/indexed/indexed.ts";
import { ACTIVITY_TABLES, expectedActivity } from "../../test/support/oracle/activity-oracle.ts";
import { expectedFacts, FACT_TABLES, type Facts } from "../../test/support/oracle/facts-oracle.ts";
import { difference, indexedFacts, indexedRows } from "../../test/support/oracle/facts-rows.ts";
import { expectedHoldings, HOLDING_TABLES } from "../../test/support/oracle/holdings-oracle.ts";
import { recordedChain } from "../../test/support/recorded/node-chain.ts";
import { recordingFolder } from "../../test/support/recorded/primary-vectors.ts";

/** Known content of the recordings; a check that finds nothing must not pass. */
const COUNTS = {
  "alpha c": {
    evm_transactions: 768,
    erc20_transfers: 216,
    erc20_tokens: 33,
    erc20_balances: 199,
    erc721_transfers: 56,
    erc1155_transfers: 26,
    nft_contracts: 6,
    nft_items: 61,
    evm_internal_transactions: 471,
    evm_failures: 32,
    evm_deployments: 80,
    evm_proxy_upgrades: 2,
    icm_events: 53,
    evm_ext_data: 25,
  },
  "alpha l1": {
    evm_transactions: 713,
    erc20_transfers: 219,
    erc20_tokens: 33,
    erc20_balances: 204,
    erc721_transfers: 58,
    erc1155_transfers: 25,
    nft_contracts: 6,
    nft_items: 62,
    evm_internal_transactions: 472,
    evm_failures: 32,
    evm_deployments: 80,
    evm_proxy_upgrades: 2,
    icm_events: 55,
    evm_ext_data: 0,
  },
  // From block 29 its blocks are executed after they are accepted (ACP-194).
  "streaming c": {
    evm_transactions: 844,
    erc20_transfers: 457,
    erc20_tokens: 68,
    erc20_balances: 435,
    erc721_transfers: 112,

    erc1155_transfers: 50,
    nft_contracts: 12,
    nft_items: 120,
    evm_internal_transactions: 942,
    evm_failures: 66,
    evm_deployments: 162,
    evm_proxy_upgrades: 4,
    icm_events: 82,
    evm_ext_data: 12,
  },
} as const;

describe.each([
  ["alpha", "c"],
  ["alpha", "l1"],
  ["streaming", "c"],
] as const)("the rows of the recorded chain %s %s", (folder, name) => {
  const recording = openRecording(recordingFolder(folder));
  const chain = recordedChain(recording, name);
  const expected = expectedFacts(chain, chain.blocks);
  const counts = COUNTS[`${folder} ${name}` as keyof typeof COUNTS];
  let database: TestDatabase;
  let indexed: Facts;

  beforeAll(async () => {
    database = await indexedChains(recording.folder);
    indexed = await indexedFacts(database.pool, chain.chainId);
  }, 90_000);
  afterAll(() => database[Symbol.asyncDispose]());

  it.each(FACT_TABLES)("%s has exactly the rows of receipts and call trees", (table) => {
    expect(expected[table]).toHaveLength(counts[table]);
    expect(difference(expected[table], indexed[table])).toEqual({ missing: [], extra: [] });
  });

  it.each(ACTIVITY_TABLES)("%s has exactly the rows that a count over all blocks gives", async (table) => {
    const rows = expectedActivity(chain, chain.blocks, expected)[table];
    expect(rows.length).toBeGreaterThan(0);
    expect(difference(rows, await indexedRows(database.pool, table, chain.chainId))).toEqual({
      missing: [],
      extra: [],
    });
  });

  it.each(HOLDING_TABLES)("%s has exactly the rows that a count over all transfers gives", async (table) => {
    const rows = expectedHoldings(chain.chainId, expected)[table];
    expect(rows.length).toBeGreaterThan(0);
    expect(difference(rows, await indexedRows(database.pool, table, chain.chainId))).toEqual({
      missing: [],
      extra: [],
    });
  });

  it("the contract addresses in receipts with code are the outermost deployments", () => {
    const withReceipt = expected.evm_transactions
      .filter(({ tx_status, contract_address }) => tx_status === "1" && contract_address !== null)
      .map(({ contract_address }) => contract_address);
    const outermost = indexed.evm_deployments.filter(({ trace_index }) => trace_index === "0");
    expect(withReceipt).toEqual(expect.arrayContaining(outermost.map(({ address }) => address)));
    // Two creations without code, and one that destroys itself; the last recording has them twice.
    expect(withReceipt).toHaveLength(outermost.length + (folder === "streaming" ? 6 : 3));
  });
});
