import { chainRules } from "../../indexer/evm/decode/chain-rules.ts";
import { decodeBlocks } from "../../indexer/evm/decode/encoded-block.ts";
import { loadHead } from "../../indexer/evm/store/head.ts";
import { insertBlocks } from "../../indexer/evm/store/insert-blocks.ts";
import { rollBack } from "../../indexer/evm/store/roll-back.ts";
import { createPartitions } from "../../indexer/evm/store/tables.ts";
import { tryBecomeWriter, type Writer } from "../../indexer/shared/writer.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { servedCChain } from "../support/indexed/alpha-network.ts";
import { expectedFacts } from "../support/oracle/facts-oracle.ts";
import {
  type CountedBlock,
  countedBlocks,
  expectedPeriods,
  expectedSpan,
  expectedValues,
} from "../support/oracle/metrics-oracle.ts";
import { recordedChain } from "../support/recorded/node-chain.ts";
import { rawOf, retimed } from "../support/recorded/retimed-blocks.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { DAY_METRICS, INTERVALS, PERIOD_METRICS } from "./chain-metric.ts";
import { expectCollectionHolders, expectTokenHolders } from "./token-holders.ts";

const CHAIN_ID = "760011";
const DAY = 86_400;
/** The chain's 235 blocks are spread over 51 days. */
const STEP = 5 * 3_600 + 660;

const chain = recordedChain(openRecording(ALPHA), "c");
const blocks = retimed(chain, STEP);
const facts = expectedFacts(chain, chain.blocks);
const counted = countedBlocks(blocks, facts);

let database: TestDatabase;
let writer: Writer;
let stack: Stack;
beforeAll(async () => {
  database = await createTestDatabase();
  writer = (await tryBecomeWriter(database.url, CHAIN_ID)) as Writer;
  await createPartitions(writer, CHAIN_ID);
  const rules = chainRules({ chainId: Number(CHAIN_ID), wrappedNativeTokens: [...chain.wrappedNativeTokens] });
  await writer.transaction(async (session) => {
    const head = await loadHead(session, CHAIN_ID);
    await insertBlocks(session, rules, await decodeBlocks(rules, head, blocks.map(rawOf)), 0);
  });
  stack = await startStack({ database, config: { ...testConfig(), evmChains: servedCChain(ALPHA) } });
}, 30_000);
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await writer[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function bodyOf(path: string): Promise<Record<string, unknown>> {
  const { status, body } = await stack.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body as Record<string, unknown>;
}

/** All items of a list in REST, in pages of this size. */
async function listed(path: string, pageSize: number): Promise<unknown[]> {
  const items: unknown[] = [];
  for (let token = ""; ; ) {
    const { results, nextPageToken } = await bodyOf(`${path}&pageSize=${pageSize}${token}`);
    items.push(...(results as unknown[]));
    if (nextPageToken === undefined) return items;
    token = `&pageToken=${nextPageToken}`;
  }
}

const FIGURES = `blocks transactions gasUsed feesSpent newAddresses newContracts erc20Transfers averageTps
  averageGasPerSecond averageGasPrice`;
const PERIOD = `${FIGURES} periodStart periodEnd isComplete activeAddresses`;

async function chainInGraph(fields: string): Promise<unknown> {
  const query = encodeURIComponent(`{ chain(chainId: "${CHAIN_ID}") { ${fields} } }`);
  const { data } = await bodyOf(`/graphql?query=${query}`);
  return (data as { chain: unknown }).chain;
}

/** Compares everything that is served with a count over these blocks. */
async function expectMetricsOf(known: readonly CountedBlock[]): Promise<void> {
  const last = known.at(-1) as CountedBlock;
  const days = expectedPeriods(known, "DAY");
  expect(await bodyOf(`/v1/avg_tps/${CHAIN_ID}`)).toEqual({
    results: days.map(({ periodStart, averageTps }) => ({ timestamp: periodStart, value: averageTps })),
    status: 200,
    lastRun: last.seconds,
  });
  for (const metric of [...PERIOD_METRICS, ...DAY_METRICS]) {
    const values = expectedValues(metric, days, known);
    const expected = days.map(({ periodStart }, index) => ({ value: values[index], timestamp: periodStart }));
    expect(await listed(`/hosted/v2/chains/${CHAIN_ID}/metrics/${metric}?timeInterval=day`, 20)).toEqual(expected);
  }
  for (const interval of Object.values(INTERVALS)) {
    const periods = expectedPeriods(known, interval);
    const activity = `activity(interval: ${interval}, first: 2000) { periods: nodes { ${PERIOD} } }`;
    expect(await chainInGraph(activity)).toEqual({ activity: { periods } });
  }
  const recent = known.filter(({ seconds }) => seconds > last.seconds - DAY);
  const all = expectedSpan(known, known, DAY);
  expect(await chainInGraph(`last24Hours { ${FIGURES} } totals { blocks transactions addresses contracts }`)).toEqual({
    last24Hours: expectedSpan(known, recent, DAY),
    totals: {
      blocks: all.blocks,
      transactions: all.transactions,
      addresses: all.newAddresses,
      contracts: all.newContracts,
    },
  });
}

/** The same for the holders of tokens. */
async function expectHoldersOf(known: readonly CountedBlock[]): Promise<void> {
  const isKnown = (block: string | null | undefined) => Number(block) <= known.length;
  const indexed = {
    chainId: CHAIN_ID,
    tokens: facts.erc20_tokens.filter(({ first_block_number }) => isKnown(first_block_number)),
    balances: facts.erc20_balances.filter(({ block_number }) => isKnown(block_number)),
    collections: facts.nft_contracts.filter(({ first_block_number }) => isKnown(first_block_number)),
    nftTransfers: [...facts.erc721_transfers, ...facts.erc1155_transfers].filter(({ block_number }) =>
      isKnown(block_number),
    ),
    blocks: known,
  };
  await expectTokenHolders(stack, indexed);
  await expectCollectionHolders(stack, indexed);
}

describe("the metrics of an indexed chain", () => {
  it("are those that a count over all blocks gives", async () => {
    expect(counted).toHaveLength(234);
    await expectMetricsOf(counted);
  });

  it("and the holders of its tokens are those that a count over all transfers gives, now and after blocks", async () => {
    await expectHoldersOf(counted);
  });

  it("are those of the remaining blocks after a rollback", async () => {
    await writer.transaction((session) => rollBack(session, CHAIN_ID, { seq: 0, blockNumber: 131 }));
    await expectMetricsOf(counted.slice(0, 131));
    await expectHoldersOf(counted.slice(0, 131));
  });
});
