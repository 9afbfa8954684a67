import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import {
  ALL_BLOCKS,
  C_CHAIN,
  type CommandChain,
  prunedTraces,
  startCommandChain,
} from "../../../test/support/indexed/command-chain.ts";
import { indexedAlpha } from "../../../test/support/indexed/indexed.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { startIndexer } from "../../indexer.ts";
import { tryBecomeWriter } from "../../shared/writer.ts";
import { backfillMetadata, backfillTraces } from "./backfill.ts";
import { replayChain } from "./replay.ts";

let chain: CommandChain;
beforeAll(async () => {
  chain = await startCommandChain();
});
afterAll(() => chain[Symbol.asyncDispose]());

describe("moraine backfill", () => {
  it("adds the call trees of a chain that was indexed without them; the rows then equal those of a chain that was indexed with them", async () => {
    await using database = await chain.indexedWithoutTraces();
    expect(await chain.rowsOf(database, "evm_internal_transactions")).toEqual([]);
    expect(await chain.rowsOf(database, "untraced_ranges")).toMatchObject([
      { from_block: "0", to_block: String(chain.whole.head) },
    ]);
    await using command = chain.commandOn(database);
    expect(await backfillTraces(command, ALL_BLOCKS)).toEqual({ traced: chain.whole.head + 1, skipped: 0 });
    await chain.expectWholeRows(database);
    expect(await backfillTraces(command, ALL_BLOCKS)).toEqual({ traced: 0, skipped: 0 });
    // The fetched call trees are in the raw blocks, so a replay needs no node.
    await replayChain(command);
    expect(await chain.rowsOf(database, "evm_internal_transactions")).toEqual(
      chain.whole.tables.evm_internal_transactions,
    );
  });

  it("fetches only the requested range, while the indexer runs", async () => {
    await using database = await chain.indexedWithoutTraces();
    await using command = chain.commandOn(database);
    const config = testConfig({ evmChains: [chain.chainConfig({ traces: "off" })] });
    await using _indexer = startIndexer(config, database.url, createLogger("error"));
    expect(await backfillTraces(command, { from: 20, to: 69 })).toEqual({ traced: 50, skipped: 0 });
    const ranges = await chain.rowsOf(database, "untraced_ranges");
    const internals = await chain.rowsOf(database, "evm_internal_transactions");
    expect(ranges.map(({ from_block, to_block }) => [from_block, to_block])).toEqual([
      ["0", "19"],
      ["70", String(chain.whole.head)],
    ]);
    const within = chain.whole.tables.evm_internal_transactions.filter(
      ({ block_number }) => Number(block_number) >= 20 && Number(block_number) <= 69,
    );
    expect(within.length).toBeGreaterThan(10);
    expect(internals).toEqual(within);
  });

  it("skips a block whose indexed hash differs from the node's", async () => {
    await using database = await chain.indexedWithoutTraces();
    await database.pool.query("UPDATE evm_blocks SET block_hash = sha256(block_hash) WHERE block_number = 60");
    await using command = chain.commandOn(database);
    expect(await backfillTraces(command, ALL_BLOCKS)).toEqual({ traced: chain.whole.head, skipped: 1 });
    expect(await chain.rowsOf(database, "untraced_ranges")).toMatchObject([{ from_block: "60", to_block: "60" }]);
  });

  it("is refused while another backfill of the chain runs", async () => {
    await using database = await createTestDatabase();
    await using command = chain.commandOn(database);
    await using _other = await tryBecomeWriter(database.url, `${C_CHAIN} backfill`);
    await expect(backfillTraces(command, ALL_BLOCKS)).rejects.toThrow("another process runs a backfill of chain");
  });

  it("fails with the node's reason", async () => {
    await using database = await chain.indexedWithoutTraces();
    await using command = chain.commandOn(database);
    chain.faulty.faults.wrongAnswers = [prunedTraces(0, 40)];
    const refused = backfillTraces(command, ALL_BLOCKS);
    await expect(refused).rejects.toThrow(/^the node no longer has the state for the traces of block \d+$/);
    await chain.faulty.heal();
  });

  const WITH_NFTS: Pick<EvmChainConfig, "enabledFeatures"> = { enabledFeatures: ["nftIndexing"] };
  const WITHOUT_NFTS: Pick<EvmChainConfig, "enabledFeatures"> = { enabledFeatures: ["teleporter"] };
  /** Number of contracts, and of NFTs with metadata or a status, that satisfy a condition. */
  const countOf = async (database: TestDatabase, contracts: string, nfts: string) => {
    const { rows } = await database.pool.query<{ contracts: number; nfts: number }>(
      `SELECT (SELECT count(*)::int FROM (SELECT address FROM erc20_tokens WHERE chain_id = $1 AND ${contracts}
         UNION SELECT address FROM nft_contracts WHERE chain_id = $1 AND ${contracts}) t) AS contracts,
       (SELECT count(*)::int FROM nft_metadata WHERE chain_id = $1 AND ${nfts}) AS nfts`,
      [C_CHAIN],
    );
    return rows[0];
  };
  const dueIn = async ({ pool }: TestDatabase) => {
    const due = (table: string) =>
      `(SELECT count(*)::int FROM ${table} WHERE next_attempt_at <= extract(epoch FROM now()))`;
    const { rows } = await pool.query(
      `SELECT ${due("raw_token_answers")} AS contracts, ${due("nft_metadata")} AS nfts`,
    );
    return rows[0];
  };

  it("of metadata queues contracts and NFTs: those without metadata, with --all every one", async () => {
    await using database = await indexedAlpha();
    await using command = chain.commandOn(database);
    await database.pool.query("UPDATE nft_metadata SET next_attempt_at = NULL");
    await database.pool.query("UPDATE raw_token_answers SET next_attempt_at = NULL");
    const failed = await countOf(database, "name = '' AND symbol = ''", "index_status <> 'INDEXED'");
    expect(failed?.contracts).toBeGreaterThan(0);
    expect(await backfillMetadata(command, { onlyFailed: true }, WITH_NFTS)).toEqual(failed);
    expect(await dueIn(database)).toEqual(failed);
    const all = await countOf(database, "true", "true");
    expect(await backfillMetadata(command, { onlyFailed: false }, WITH_NFTS)).toEqual(all);
    expect(await dueIn(database)).toEqual(all);
  });

  it("of metadata queues one contract with its NFTs, or one NFT", async () => {
    await using database = await indexedAlpha();
    await using command = chain.commandOn(database);
    const [{ address } = { address: "" }] = (
      await database.pool.query<{ address: string }>(
        "SELECT '0x' || encode(address, 'hex') AS address FROM nft_metadata WHERE token_id = 2 AND chain_id = $1 LIMIT 1",
        [C_CHAIN],
      )
    ).rows;
    const { nfts } = (await countOf(database, "true", `address = '\\x${address.slice(2)}'`)) ?? { nfts: 0 };
    expect(nfts).toBeGreaterThan(1);
    const ofContract = { address, onlyFailed: false };
    expect(await backfillMetadata(command, ofContract, WITH_NFTS)).toEqual({ contracts: 1, nfts });
    const ofToken = { ...ofContract, tokenId: "2" };
    expect(await backfillMetadata(command, ofToken, WITH_NFTS)).toEqual({ contracts: 0, nfts: 1 });
  });

  it("of metadata is followed at once by the running indexer, although no block arrives", async () => {
    await using database = await indexedAlpha();
    await using command = chain.commandOn(database);
    await database.pool.query("UPDATE raw_token_answers SET next_attempt_at = NULL");
    await database.pool.query("UPDATE nft_metadata SET next_attempt_at = NULL");
    const all = await countOf(database, "true", "true");
    const config = testConfig({ evmChains: [chain.chainConfig({ enabledFeatures: ["nftIndexing"] })] });
    await using _indexer = startIndexer(config, database.url, createLogger("error"));
    const FOLLOWS = "SELECT FROM chain_progress WHERE state = 'FOLLOWING' AND chain_id = $1";
    await until(
      async () => (await database.pool.query(FOLLOWS, [C_CHAIN])).rowCount,
      (rows) => rows === 1,
      "the chain to follow its node",
    );
    expect(await backfillMetadata(command, { onlyFailed: false }, WITH_NFTS)).toEqual(all);
    await until(
      () => dueIn(database),
      (due) => due?.contracts === 0 && due.nfts === 0,
      "all contracts and NFTs to be read",
    );
  });

  it("of metadata leaves NFTs out for a chain without nftIndexing, and is refused for one NFT", async () => {
    await using database = await indexedAlpha();
    await using command = chain.commandOn(database);
    const all = await countOf(database, "true", "true");
    expect(await backfillMetadata(command, { onlyFailed: false }, WITHOUT_NFTS)).toEqual({
      contracts: all?.contracts,
      nfts: null,
    });
    const ofToken = { address: `0x${"1".repeat(40)}`, tokenId: "1", onlyFailed: false };
    await expect(backfillMetadata(command, ofToken, WITHOUT_NFTS)).rejects.toThrow(
      `nftIndexing is not among the enabledFeatures of chain ${C_CHAIN}`,
    );
  });
});
