import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { results, type ScriptedCall, startScriptedNode } from "../../test/support/node/scripted-node.ts";
import { ACTIVITY_TABLES, type ActivityRows, expectedActivity } from "../../test/support/oracle/activity-oracle.ts";
import type { FactRow } from "../../test/support/oracle/fact-row.ts";
import { expectedFacts, FACT_TABLES, type Facts } from "../../test/support/oracle/facts-oracle.ts";
import { difference, indexedFacts, indexedRows } from "../../test/support/oracle/facts-rows.ts";
import type { NodeBlock } from "../../test/support/recorded/node-chain.ts";
import { createNodeClient } from "../shared/node/node-client.ts";
import { tryBecomeWriter, type Writer } from "../shared/writer.ts";
import { chainRules } from "./decode/chain-rules.ts";
import { createEvmSource } from "./fetch/source.ts";
import { appendEntries } from "./raw-store/journal.ts";
import { appendTraces, traceEntry } from "./raw-store/raw-traces.ts";
import { journalEntry } from "./raw-store/stored-blocks.ts";
import { replayJournal } from "./replay/replay.ts";
import { createPartitions } from "./store/tables.ts";

/** External data: every 500th of 100,000 blocks of an L1 of mainnet, as its node answered. Not part of the project. */
const FILE = new URL("../../../shared/fixtures/external/l1-evm/blocks.jsonl.gz", import.meta.url);
const isHere = existsSync(FILE);
const CHAIN = { chainId: 88, messengers: [], wrappedNativeTokens: [] };

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
  evm_deployments: 0,
  icm_events: 0,
  evm_ext_data: 0,
} as const;

const title = isHere
  ? "201 blocks of a real L1"
  : "201 blocks of a real L1 (skipped: shared/fixtures/external/l1-evm is not beside the repository)";

(isHere ? describe : describe.skip)(title, () => {
  let blocks: NodeBlock[];
  let expected: Facts;
  let indexed: Facts;
  let activity: ActivityRows;
  let heads: number[];

  beforeAll(async () => {
    const lines = gunzipSync(readFileSync(FILE)).toString().split("\n").filter(Boolean);
    blocks = lines.map((line): NodeBlock => JSON.parse(line));
    expected = expectedFacts(CHAIN, blocks);
    ({ indexed, activity, heads } = await index(blocks));
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
    const rows = expectedActivity(CHAIN, blocks, expected)[table];
    expect(rows.length).toBeGreaterThan(20);
    expect(difference(rows, activity[table])).toEqual({ missing: [], extra: [] });
  });
});

/**
 * Reads these blocks one by one from a node that has no other blocks, stores them in the raw block store, and computes their
 * rows. The steps are those of the indexer, which itself accepts only consecutive blocks.
 */
async function index(
  blocks: readonly NodeBlock[],
): Promise<{ indexed: Facts; activity: ActivityRows; heads: number[] }> {
  await using database = await createTestDatabase();
  await using writer = (await tryBecomeWriter(database.url, String(CHAIN.chainId))) as Writer;
  const chainId = String(CHAIN.chainId);
  await createPartitions(writer, chainId);
  await using node = await startNode(blocks);
  await using client = createNodeClient({
    url: node.url,
    headers: {},
    requestTimeoutMs: 15_000,
    maxConcurrency: 4,
    maxBatchSize: 20,
    signal: new AbortController().signal,
  });
  const source = createEvmSource(client, "on");
  for (const [i, { block }] of blocks.entries()) {
    const [raw] = await source.blocks(Number(block.number), Number(block.number));
    if (!raw) throw new Error(`no block ${block.number}`);
    const [hash, parentHash] = [raw.block.hash.slice(2), raw.block.parentHash.slice(2)];
    const place = { number: Number(block.number), hash, parentHash };
    const entry = await journalEntry(raw, place, i + 1);
    const traces = await traceEntry(place, raw.traces);
    await writer.transaction(async (session) => {
      await appendEntries(session, chainId, [entry]);
      await appendTraces(session, chainId, [traces]);
    });
  }
  const heads: number[] = [];
  const rules = chainRules({ chainId: CHAIN.chainId });
  await replayJournal({ writer, rules, onHead: ({ blockNumber }) => void heads.push(blockNumber) });
  const activity: Partial<Record<keyof ActivityRows, FactRow[]>> = {};
  for (const table of ACTIVITY_TABLES) activity[table] = await indexedRows(database.pool, table, CHAIN.chainId);
  return { indexed: await indexedFacts(database.pool, CHAIN.chainId), activity: activity as ActivityRows, heads };
}

async function startNode(blocks: readonly NodeBlock[]) {
  const byNumber = new Map(blocks.map((one) => [one.block.number as string, one]));
  const ANSWERS: Readonly<Record<string, (block: NodeBlock | undefined) => unknown>> = {
    eth_getBlockByNumber: (one) => one?.block,
    eth_getBlockReceipts: (one) => one?.receipts,
    debug_traceBlockByNumber: (one) => one?.traces,
  };
  const resultOf = ({ method, params }: ScriptedCall) => ANSWERS[method]?.(byNumber.get(String(params[0]))) ?? null;
  return startScriptedNode((calls) => ({ body: results(calls, resultOf) }));
}
