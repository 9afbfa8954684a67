import { createLogger } from "../../core/observability/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";
import { demoConfig } from "../../recordings/demo.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../recordings/replay-node.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { untilIndexed } from "../support/indexed/indexed.ts";
import { until } from "../support/indexed/indexing.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { expectContract } from "./contract.ts";
import { factsOf, listedInternals } from "./recorded-facts.ts";

const CHAIN_ID = 760011;
const HEAD = 234;

const { evm_deployments } = factsOf(CHAIN_ID);
const madeByContracts = evm_deployments.filter(({ trace_index }) => trace_index !== "0");
/**
 * The C-Chain is indexed without traces up to this block, and with traces afterwards; contracts create contracts on both sides.
 */
const UNTRACED_TO = Number(madeByContracts[Math.floor(madeByContracts.length / 2)]?.["block_number"]);

const recording = openRecording(ALPHA);
let database: TestDatabase;
let node: ReplayNode;
let stack: Stack;

const configOf = (traces: string) => {
  const [cChain] = demoConfig(recording.manifest, node.url);
  return testConfig({ evmChains: [{ ...cChain, traces }] });
};

/** Runs the real indexer until the chain is indexed up to the block. */
async function indexTo(head: number, traces: string): Promise<void> {
  node.setHead("C", head);
  await using _indexer = startIndexer(configOf(traces), database.url, createLogger("error"));
  await untilIndexed(database, { [CHAIN_ID]: head });
}

beforeAll(async () => {
  database = await createTestDatabase();
  node = await startReplayNode({ recording });
  stack = await startStack({ database, config: configOf("auto") });
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const internals = (address: string, query = "") =>
  `/v1/chains/${CHAIN_ID}/addresses/${address}/transactions:listInternals${query}`;
const deployment = (address: string) => `/v1/chains/${CHAIN_ID}/contracts/${address}/transactions:getDeployment`;

async function get(path: string): Promise<{ status: number; body: Readonly<Record<string, unknown>> }> {
  const { status, body } = await stack.get(path);
  expectContract("GET", path, status, body);
  return { status, body: body as Readonly<Record<string, unknown>> };
}

async function refusal(path: string): Promise<[number, unknown]> {
  const { status, body } = await get(path);
  return [status, body["message"]];
}

const isBefore = ({ block_number }: Readonly<Record<string, string | null>>) => Number(block_number) <= UNTRACED_TO;
const early = evm_deployments.filter(isBefore);
const addressOf = (isByItself: boolean) =>
  String(early.find(({ trace_index }) => (trace_index === "0") === isByItself)?.["address"]);
/** Created before traces were on: by a transaction, and by a contract. */
const BY_ITSELF = addressOf(true);
const BY_CONTRACT = addressOf(false);
const LATER = listedInternals(factsOf(CHAIN_ID)).filter((row) => !isBefore(row));
/** An address that sent calls while traces were on. */
const CALLER = String(LATER.at(-1)?.["from_address"]);
const NOBODY = `0x${"1".repeat(40)}`;

describe("on a chain without trace indexing", () => {
  const REASON = "the setting evmChains[].traces is off for this chain";
  beforeAll(() => indexTo(UNTRACED_TO, "off"), 60_000);

  it("E10 returns 404 with the reason, even for an address without calls", async () => {
    const message = `internal transactions of chain ${CHAIN_ID} are not served: ${REASON}`;
    for (const path of [internals(CALLER), internals(NOBODY), internals(CALLER, "?startBlock=20&endBlock=20")])
      expect(await refusal(path)).toEqual([404, message]);
  });

  it("E6 returns contracts that a transaction created directly, without a list of internal transactions", async () => {
    const { status, body } = await get(deployment(BY_ITSELF));
    expect([status, "internalTransactions" in body, Array.isArray(body["erc20Transfers"])]).toEqual([200, false, true]);
  });

  it("E6 returns an error that names the unknown internal creations if it finds no deployment", async () => {
    const message = `is not a contract that was created on chain ${CHAIN_ID}; contracts created by contracts are not indexed: ${REASON}`;
    for (const address of [BY_CONTRACT, NOBODY])
      expect(await refusal(deployment(address))).toEqual([404, expect.stringContaining(message)]);
  });
});

describe("after trace indexing was turned on", () => {
  beforeAll(() => indexTo(HEAD, "on"), 60_000);

  it("E10 returns 503 for a page that covers untraced blocks, and names these blocks and the backfill command", async () => {
    const missing = (from: number, to: number) => [
      503,
      expect.stringMatching(
        new RegExp(`blocks from ${from} to ${to}: .moraine backfill traces --chain ${CHAIN_ID}. adds them`),
      ),
    ];
    expect(await refusal(internals(NOBODY))).toEqual(missing(0, UNTRACED_TO));
    expect(await refusal(internals(NOBODY, "?startBlock=20"))).toEqual(missing(20, UNTRACED_TO));
    expect(await refusal(internals(CALLER, "?startBlock=3&endBlock=9"))).toEqual(missing(3, 8));
  });

  it("E10 lists a range of traced blocks", async () => {
    const { status, body } = await get(internals(CALLER, `?startBlock=${UNTRACED_TO + 1}&pageSize=100`));
    const expected = LATER.filter((row) => [row["from_address"], row["to_address"]].includes(CALLER));
    expect(expected.length).toBeGreaterThan(0);
    expect([status, (body["transactions"] as unknown[]).length]).toEqual([200, Math.min(100, expected.length)]);
  });

  it("E10 returns the first page of a range that begins with untraced blocks, if the page ends before them", async () => {
    const { status, body } = await get(internals(CALLER, "?pageSize=1"));
    expect([status, (body["transactions"] as unknown[]).length]).toEqual([200, 1]);
  });

  it("E6 finds internal creations in traced blocks, and names the untraced blocks if it finds none", async () => {
    const since = madeByContracts.filter((row) => !isBefore(row));
    expect(since.length).toBeGreaterThan(2);
    for (const { address } of since) {
      const { status, body } = await get(deployment(String(address)));
      expect([status, Array.isArray(body["internalTransactions"])]).toEqual([200, true]);
    }
    const message = new RegExp(
      `; contracts created by contracts in blocks from 0 to ${UNTRACED_TO} are not indexed yet$`,
    );
    expect(await refusal(deployment(BY_CONTRACT))).toEqual([404, expect.stringMatching(message)]);
    expect("internalTransactions" in (await get(deployment(BY_ITSELF))).body).toBe(false);
  });
});

describe("after trace indexing was turned off again", () => {
  // It has no more blocks to index, so only its progress changes.
  beforeAll(async () => {
    await using _indexer = startIndexer(configOf("off"), database.url, createLogger("error"));
    const text = "SELECT 1 FROM chain_capabilities WHERE capability = 'traces' AND NOT is_on";
    await until(
      async () => (await database.pool.query(text)).rowCount,
      (count) => count === 1,
      "the capability",
    );
  }, 60_000);

  it("E10 returns 404 with the reason, also for traced blocks", async () => {
    const message = `internal transactions of chain ${CHAIN_ID} are not served: the setting evmChains[].traces is off for this chain`;
    expect(await refusal(internals(CALLER, `?startBlock=${UNTRACED_TO + 1}`))).toEqual([404, message]);
  });

  it("E6 returns the internal transactions of traced blocks", async () => {
    const { address } = madeByContracts.find((row) => !isBefore(row)) ?? {};
    const { status, body } = await get(deployment(String(address)));
    expect([status, Array.isArray(body["internalTransactions"])]).toEqual([200, true]);
  });
});
