import { createChains } from "../../../core/networks/chains.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { type ChainStore, createChainStore } from "./store.ts";

const CHAINS = [
  { chainId: 5, network: "testnet", enabledFeatures: ["webhooks"] },
  { chainId: 30, network: "mainnet", multicall: `0x${"A".repeat(40)}` },
  { chainId: 4, network: "fuji" },
  { chainId: 7, network: "mainnet", enabledFeatures: ["webhooks", "teleporter"], blockchainId: "0".repeat(64) },
].map((chain) => ({ nodeUrl: "http://node.secret", nodeHeaders: { key: "secret" }, chainName: "A chain", ...chain }));

let database: TestDatabase;
let store: ChainStore;

beforeEach(async () => {
  database = await createTestDatabase();
  store = createChainStore(database, createChains(testConfig({ evmChains: CHAINS })));
});
afterEach(() => database[Symbol.asyncDispose]());

const ids = (chains: readonly { readonly chainId: string }[]) => chains.map(({ chainId }) => chainId);

async function setProgress(state: string, blockNumber: number, nodeBlockNumber: number | null, rate: number) {
  await database.pool.query("INSERT INTO chain_progress VALUES (7, $1, 'why', $2, 9, $3, 1700000000)", [
    state,
    nodeBlockNumber,
    rate,
  ]);
  await database.pool.query("INSERT INTO chain_heads VALUES (7, '\\x', 1, $1, '\\x', 1, 1)", [blockNumber]);
  return (await store.require("7", SERVICE_WORK)).indexing;
}

describe("the chain store", () => {
  it("E17 lists Mainnet first, then by ascending chain id, in one statement", async () => {
    let chains: string[] = [];
    const statements = await statementsOf(async () => {
      chains = ids(await store.list({}, SERVICE_WORK));
    });
    expect(chains).toEqual(["7", "30", "4", "5"]);
    expect(statements).toHaveLength(1);
  });

  it("E17 filters by network, with testnet as an alias of fuji, and by feature", async () => {
    expect(ids(await store.list({ network: "testnet" }, SERVICE_WORK))).toEqual(["4", "5"]);
    expect(ids(await store.list({ network: "fuji", feature: "webhooks" }, SERVICE_WORK))).toEqual(["5"]);
    expect(ids(await store.list({ feature: "teleporter" }, SERVICE_WORK))).toEqual(["7"]);
    expect(await store.list({ network: "fuji", feature: "nftIndexing" }, SERVICE_WORK)).toEqual([]);
  });

  it("E18 finds a chain by chain id or blockchain id, and rejects others", async () => {
    expect((await store.require("11111111111111111111111111111111LpoYY", SERVICE_WORK)).chainId).toBe("7");
    expect((await store.require(`0x${"0".repeat(64)}`, SERVICE_WORK)).platformChainId).toBe(
      "11111111111111111111111111111111LpoYY",
    );
    await expect(store.require("8", SERVICE_WORK)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("returns no node URL and no node headers of the configuration", async () => {
    const chain = await store.require("30", SERVICE_WORK);
    expect(chain).toMatchObject({ vmName: "EVM", isTestnet: false, private: false, status: "OK", indexing: null });
    expect(chain.utilityAddresses).toEqual({ chainId: "30", multicall: `0x${"a".repeat(40)}` });
    expect(JSON.stringify(chain)).not.toMatch(/secret/);
  });

  it("returns the nodes of a chain by their names, without URLs and headers", async () => {
    const nodeUrls = [{ url: "http://node.secret", headers: { key: "secret" } }, "http://user:secret@other.secret"];
    const chain = { chainId: 7, network: "fuji", chainName: "Seven", nodeUrls };
    store = createChainStore(database, createChains(testConfig({ evmChains: [chain] })));
    await setProgress("FOLLOWING", 5, 5, 1);
    expect((await store.require("7", SERVICE_WORK)).indexing?.nodes).toEqual([]);
    const nodes = [
      { name: "node 1", state: "USABLE", head: 5, reason: null },
      { name: "node 2", state: "UNAVAILABLE", head: null, reason: "why" },
    ];
    await database.pool.query("UPDATE chain_progress SET nodes = $1", [JSON.stringify(nodes)]);
    const found = await store.require("7", SERVICE_WORK);
    expect(found.indexing?.nodes).toEqual([{ ...nodes[0], head: "5" }, nodes[1]]);
    expect(JSON.stringify(found)).not.toMatch(/secret/);
  });

  it.each([
    ["BACKFILLING", "OK"],
    ["FOLLOWING", "OK"],
    ["WAITING", "UNAVAILABLE"],
    ["STOPPED", "UNAVAILABLE"],
  ])("E18 a chain whose indexer is %s is %s", async (state, status) => {
    await setProgress(state, 5, 10, 1);
    expect(await store.require("7", SERVICE_WORK)).toMatchObject({ status, indexing: { state, reason: "why" } });
  });

  it.each([
    [10, 110, 50, 2],
    [10, 10, 50, 0],
    [12, 10, 0, 0],
    [10, 110, 0, null],
    [10, null, 50, null],
    [-1, 99, 10, 10],
    [0, 9_000_000_000_000, 1, 2 ** 31 - 1],
  ])("at block %s of %s and %s blocks per second the estimate is %s seconds", async (block, node, rate, left) => {
    expect(await setProgress("BACKFILLING", block, node, rate)).toMatchObject({ secondsLeft: left });
  });

  it("returns null as the last block before the first block is indexed", async () => {
    expect(await setProgress("BACKFILLING", -1, 10, 0)).toMatchObject({ blockNumber: null, fetchedBlockNumber: "9" });
  });

  it("returns the last comparison of samples, null before the first", async () => {
    await setProgress("FOLLOWING", 10, 10, 1);
    expect((await store.require("7", SERVICE_WORK)).verification).toBeNull();
    const difference = {
      comparedWith: "NODE",
      table: "evm_blocks",
      key: "block_number=4",
      indexed: "a",
      expected: "b",
    };
    await database.pool.query("INSERT INTO chain_verifications VALUES (7, 9, 1700000001, 120, 2, '{}', $1)", [
      JSON.stringify({ at: 1_700_000_000, ...difference }),
    ]);
    const statements = await statementsOf(async () => {
      expect((await store.require("7", SERVICE_WORK)).verification).toEqual({
        blockNumber: "9",
        at: "1700000001",
        checked: "120",
        differing: "2",
        lastDifference: { at: "1700000000", ...difference },
      });
    });
    expect(statements).toHaveLength(1);
  });

  it("counts the tokens whose metadata is still to be read", async () => {
    await database.pool.query("CREATE TABLE erc20_tokens_7 PARTITION OF erc20_tokens FOR VALUES IN (7)");
    await database.pool.query(
      "INSERT INTO erc20_tokens SELECT 7, int4send(n), n, CASE n WHEN 1 THEN 'PENDING' WHEN 2 THEN 'UNAVAILABLE' ELSE 'INDEXED' END FROM generate_series(1, 9) n",
    );
    expect(await store.pendingTokens([{ chainId: "7" }, { chainId: "30" }], SERVICE_WORK)).toEqual([
      { chainId: "7", count: 2 },
    ]);
  });
});
