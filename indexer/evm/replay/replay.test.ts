import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { demoConfig } from "../../../recordings/demo.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../../recordings/replay-node.ts";
import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { dumpTables, type Tables } from "../../../test/support/database/tables.ts";
import { indexedAlpha, untilIndexed } from "../../../test/support/indexed/indexed.ts";
import { startIndexing, until } from "../../../test/support/indexed/indexing.ts";
import { syntheticChain } from "../../../test/support/indexed/synthetic-chain.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { chainRules } from "../decode/chain-rules.ts";
import { decodeBlocks } from "../decode/encoded-block.ts";
import { reorganise } from "../follow/reorganise.ts";
import { appendEntries } from "../raw-blocks/entries.ts";
import { rawBlockEntry } from "../raw-blocks/stored-blocks.ts";
import { type Head, loadHead } from "../store/head.ts";
import { insertBlocks } from "../store/insert-blocks.ts";
import { clearRows } from "../store/roll-back.ts";
import { createPartitions } from "../store/tables.ts";
import { type Attempt, newContracts, storeAttempts, storeValues } from "../tokens/store.ts";
import { storedValues } from "../tokens/token-values.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { replayRawBlocks } from "./replay.ts";

const NOWHERE = "http://127.0.0.1:9/";
const ALPHA_CHAIN = 760_011;
const MADE_CHAIN = 77;
const chainId = String(MADE_CHAIN);
const WITH_NFTS = { enabledFeatures: ["nftIndexing" as const] };

const tablesOf = async ({ pool }: TestDatabase, chain: number): Promise<Tables> =>
  (await dumpTables(pool, chain)).tables;

const demoChain = (chain: number) =>
  demoConfig(openRecording(ALPHA).manifest, NOWHERE).find(({ chainId }) => chainId === chain);

async function replayed(database: TestDatabase, chain: number): Promise<Head[]> {
  const heads: Head[] = [];
  await using writer = (await tryBecomeWriter(database.url, String(chain))) as Writer;
  await writer.transaction((session) => clearRows(session, String(chain)));
  const config = demoChain(chain);
  const rules = chainRules(
    config ? (testConfig({ evmChains: [config] }).evmChains[0] as EvmChainConfig) : { chainId: chain },
  );
  await replayRawBlocks({ writer, rules, onHead: (head) => void heads.push(head) });
  return heads;
}

it.concurrent("a replay of the raw blocks restores every row without the node, including token metadata", async () => {
  await using database = await indexedAlpha();
  const before = await tablesOf(database, ALPHA_CHAIN);
  const heads = await replayed(database, ALPHA_CHAIN);
  expect(heads.map(({ blockNumber }) => blockNumber)).toEqual([99, 199, before.evm_blocks.length - 1]);
  const after = await tablesOf(database, ALPHA_CHAIN);
  expect(after.erc20_tokens.every((token) => token["metadata_status"] === "PENDING")).toBe(true);
  // The indexer derives the tokens from stored answers, without a node.
  await using _indexing = await startIndexing({
    chainId: ALPHA_CHAIN,
    nodeUrl: NOWHERE,
    chain: { ...demoChain(ALPHA_CHAIN), ...WITH_NFTS },
    database,
  });
  await untilIndexed(database, { [ALPHA_CHAIN]: before.evm_blocks.length - 1 });
  expect(await tablesOf(database, ALPHA_CHAIN)).toEqual(before);
});

describe("raw blocks with rollbacks", () => {
  const TOKEN = "c0ffee".padEnd(40, "0");
  const from = (block: number) => (number: number) => (number >= block ? { token: TOKEN } : {});
  const text = (name: string) =>
    `0x${"20".padStart(64, "0")}${name.length.toString(16).padStart(64, "0")}${Buffer.from(name).toString("hex").padEnd(64, "0")}`;

  /** Adds the blocks above the head, as the indexer does. */
  async function add(writer: Writer, chain: readonly RawBlock[]): Promise<void> {
    const head = await writer.transaction((session) => loadHead(session, chainId));
    const raws = chain.slice(head.blockNumber + 1);
    const blocks = await decodeBlocks(chainRules({ chainId: MADE_CHAIN }), head, raws);
    const entries = await Promise.all(
      raws.map((raw, i) => rawBlockEntry(raw, blocks[i] as (typeof blocks)[0], head.rawSeq + 1 + i)),
    );
    await writer.transaction(async (session) => {
      await appendEntries(session, chainId, entries);
      await insertBlocks(session, chainRules({ chainId: MADE_CHAIN }), blocks, head.rawSeq + raws.length);
    });
  }

  async function takeBack(writer: Writer, chain: readonly RawBlock[], ancestor: number): Promise<void> {
    const head = await writer.transaction((session) => loadHead(session, chainId));
    const source = { blockRef: async (number: number) => refOf(chain[number] as RawBlock, number > ancestor) };
    await reorganise({ writer, chainId, source, head }, head.blockNumber, "it did not reorganise");
  }

  const refOf = ({ block }: RawBlock, isOther: boolean) => ({
    number: Number(block.number),
    hash: isOther ? "00".repeat(32) : block.hash.slice(2),
    parentHash: block.parentHash.slice(2),
    settledHeight: null,
  });

  const answered = (contract: Attempt["contract"], answers: string): Attempt => ({
    contract,
    answers,
    values: storedValues(answers),
    attemptedAt: 0,
    nodeFailures: 0,
    emptyAnswers: 0,
    nextAttemptAt: null,
  });

  async function answer(writer: Writer, name: string): Promise<void> {
    const pending = await writer.transaction((session) => newContracts(session, chainId));
    const answers = JSON.stringify([
      { result: text(name) },
      { result: text(name) },
      { result: `0x${"6".padStart(64, "0")}` },
    ]);
    await writer.transaction((session) =>
      storeAttempts(
        session,
        chainId,
        pending.map((contract) => answered(contract, answers)),
      ),
    );
  }

  const main = syntheticChain("main", 40, from(20));
  const branch = syntheticChain("branch", 50, from(25), { from: main, fork: 10 });

  async function reorganised(database: TestDatabase): Promise<void> {
    await using writer = (await tryBecomeWriter(database.url, chainId)) as Writer;
    await createPartitions(writer, chainId);
    await add(writer, main);
    await answer(writer, "On main");
    await takeBack(writer, main, 9);
    await add(writer, branch);
    await answer(writer, "On branch");
    await takeBack(writer, branch, 0);
    await add(writer, branch);
    await answer(writer, "On branch again");
  }

  it.concurrent("restores the rows, and the token metadata of the remaining branch", async () => {
    await using database = await createTestDatabase();
    await reorganised(database);
    const before = await tablesOf(database, MADE_CHAIN);
    expect(before.erc20_tokens[0]).toMatchObject({ name: "On branch again", first_block_number: "25" });
    const heads = await replayed(database, MADE_CHAIN);
    expect(heads.map(({ blockNumber }) => blockNumber)).toEqual([39, 9, 49, 0, 49]);
    await using writer = (await tryBecomeWriter(database.url, chainId)) as Writer;
    const pending = await writer.transaction((session) => newContracts(session, chainId));
    await writer.transaction((session) =>
      storeValues(
        session,
        chainId,
        pending.map((contract) => ({ contract, values: storedValues(contract.answers ?? "") })),
      ),
    );
    expect(await tablesOf(database, MADE_CHAIN)).toEqual(before);
  });

  it.concurrent("stores late answers only if the token is on the branch of the request", async () => {
    await using database = await createTestDatabase();
    await using writer = (await tryBecomeWriter(database.url, chainId)) as Writer;
    await createPartitions(writer, chainId);
    await add(writer, main);
    const pending = await writer.transaction((session) => newContracts(session, chainId));
    await takeBack(writer, main, 9);
    await add(writer, syntheticChain("branch", 50, from(20), { from: main, fork: 10 }));
    const answers = JSON.stringify([{ result: text("Late") }, { result: "0x" }, { result: "0x" }]);
    await writer.transaction((session) =>
      storeAttempts(
        session,
        chainId,
        pending.map((contract) => answered(contract, answers)),
      ),
    );
    const [token] = (await tablesOf(database, MADE_CHAIN)).erc20_tokens;
    expect(token).toMatchObject({ name: "", metadata_status: "PENDING" });
    expect((await database.pool.query("SELECT 1 FROM raw_token_answers")).rows).toEqual([]);
  });
});

it.concurrent("a chain that was cleared while its node is unavailable is replayed, and followed once the node answers", async () => {
  await using database = await indexedAlpha();
  const before = await tablesOf(database, ALPHA_CHAIN);
  await using node = await startReplayNode({ recording: openRecording(ALPHA) });
  await replayed(database, ALPHA_CHAIN);
  // The progress that the indexer stored before must not be mistaken for the new one.
  await database.pool.query("UPDATE chain_progress SET state = 'BACKFILLING'");
  const nodeUrl = `${node.url}/ext/bc/C/rpc`;
  await using indexing = await startIndexing({
    chainId: ALPHA_CHAIN,
    nodeUrl,
    chain: { ...demoChain(ALPHA_CHAIN), ...WITH_NFTS, nodeUrl },
    database,
  });
  await until(
    () => indexing.seen(),
    ({ state }) => state === "FOLLOWING",
    "FOLLOWING",
  );
  await untilIndexed(database, { [ALPHA_CHAIN]: before.evm_blocks.length - 1 });
  expect(await tablesOf(database, ALPHA_CHAIN)).toEqual(before);
});
