import { createLogger } from "../../../core/logger.ts";
import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import {
  ALL_BLOCKS,
  C_CHAIN,
  type CommandChain,
  prunedTraces,
  startCommandChain,
} from "../../../test/support/indexed/command-chain.ts";
import { startIndexer } from "../../indexer.ts";
import { tryBecomeWriter } from "../../shared/writer.ts";
import { backfillMetadata, backfillTraces } from "./backfill.ts";
import { replayChain } from "./replay.ts";

let chain: CommandChain;
beforeAll(async () => {
  chain = await startCommandChain();
});
afterAll(() => chain[Symbol.asyncDispose]());

describe("npm run backfill", () => {
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
    // The fetched call trees are in the raw block store, so a replay needs no node.
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
    await expect(refused).rejects.toThrow(/^the node refuses the traces of block \d+: required historical state/);
    await chain.faulty.heal();
  });

  it("of metadata is refused for a chain without nftIndexing", async () => {
    await using database = await createTestDatabase();
    await using command = chain.commandOn(database);
    await expect(backfillMetadata(command, { onlyFailed: true }, { enabledFeatures: ["teleporter"] })).rejects.toThrow(
      `nftIndexing is not among the enabledFeatures of chain ${C_CHAIN}`,
    );
    expect(await backfillMetadata(command, { onlyFailed: true }, { enabledFeatures: ["nftIndexing"] })).toBe(0);
  });
});
