import { createLogger } from "../../core/observability/logger.ts";
import { type Indexer, startIndexer } from "../../indexer/indexer.ts";
import { demoConfig } from "../../recordings/demo.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../recordings/replay-node.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { untilIndexed } from "../support/indexed/indexed.ts";
import { createOracle } from "../support/oracle/oracle.ts";
import { type Stack, startStack } from "../support/stack.ts";

const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const L1_HEAD = 3;

const recording = openRecording(ALPHA);
const oracle = createOracle(recording, 760011);

let database: TestDatabase;
let node: ReplayNode;
let indexer: Indexer;
let stack: Stack;

/** A chain with its head at the block, followed by the real indexer. */
beforeEach(async () => {
  database = await createTestDatabase();
  node = await startReplayNode({ recording });
  node.setHead("l1", L1_HEAD);
  const config = testConfig({ evmChains: demoConfig(recording.manifest, node.url) });
  stack = await startStack({ database, config });
  await moveTo(20, () => {
    indexer = startIndexer(config, database.url, createLogger("error"));
  });
});
afterEach(async () => {
  await stack[Symbol.asyncDispose]();
  await indexer[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function moveTo(head: number, begin = () => {}): Promise<void> {
  node.setHead("C", head);
  begin();
  await untilIndexed(database, { "760011": head, "760012": L1_HEAD });
}

type Items = readonly Readonly<Record<string, unknown>>[];

/** All items of a list; the head advances by a block after each page. */
async function walkedWhileMoving(path: string, member: string, from: number): Promise<Items> {
  const items: Items[number][] = [];
  for (let head = from, token = ""; ; head++) {
    const body = (await stack.get(`${path}?pageSize=3${token}`)).body as Readonly<Record<string, unknown>>;
    items.push(...(body[member] as Items));
    if (!("nextPageToken" in body)) return items;
    token = `&pageToken=${body["nextPageToken"]}`;
    await moveTo(head + 1);
  }
}

describe("paging while new blocks arrive", () => {
  it("E14.M1 returns each block once, from the head at the first page down to genesis", async () => {
    const blocks = await walkedWhileMoving("/v1/chains/760011/blocks", "blocks", 20);
    expect(blocks.map(({ blockNumber }) => blockNumber)).toEqual(
      Array.from({ length: 21 }, (_, at) => String(20 - at)),
    );
  });

  it("E9.M1 returns each transfer that was indexed at the first page once", async () => {
    await moveTo(30);
    const path = `/v1/chains/760011/addresses/${WALLET}/transactions:listErc20`;
    const placeOf = ({ blockNumber, logIndex }: Items[number]) => `${blockNumber}/${logIndex}`;
    const transfers = await walkedWhileMoving(path, "transactions", 30);
    const expected = oracle.transfersOf(WALLET).filter(({ blockNumber }) => Number(blockNumber) <= 30);
    expect(expected.length).toBeGreaterThan(9);
    expect(transfers.map(placeOf)).toEqual(expected.map((one) => placeOf({ ...one })));
  });
});
