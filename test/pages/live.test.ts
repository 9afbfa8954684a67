import { setTimeout as sleep } from "node:timers/promises";
import { createLogger } from "../../core/observability/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";
import { demoConfig } from "../../recordings/demo.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import { serveGraph } from "../federation/served.ts";
import { overWebSocket } from "../federation/subscribe.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { untilIndexed } from "../support/indexed/indexed.ts";
import { loadOfficialLibrary } from "../support/oracle/official-library.ts";
import { readPrimaryOracle } from "../support/oracle/primary-oracle.ts";
import {
  at,
  documentOf,
  evmFacts,
  involves,
  listAt,
  most,
  type ServedPages,
  servePages,
  type Variables,
} from "./page.ts";

const [C] = evmFacts();
/** Height by which a subscription must have started, even on a busy machine. */
const LAST_START = C.head - 20;

let pages: ServedPages;
beforeAll(async () => {
  pages = await servePages();
});
afterAll(() => pages[Symbol.asyncDispose]());

interface Event {
  readonly data?: unknown;
  readonly errors?: unknown;
}

/** The data of the events of a page, until one has this block. */
async function eventsOf(url: string, name: string, variables: Variables, field: string, last: () => number) {
  const events: unknown[] = [];
  const subscription = { query: documentOf(name), variables };
  for await (const { data, errors } of overWebSocket<Event>(url, subscription)) {
    expect([name, errors]).toEqual([name, undefined]);
    events.push(at(data, field));
    if (Number(at(data, `${field}.blockNumber`)) >= last()) break;
  }
  return events;
}

it("22-live-blocks has each new block of the node with its transactions, without a gap", async () => {
  await using database = await createTestDatabase();
  await using node = await startReplayNode({ heads: "full" });
  let head = 100;
  node.setHead("C", head);
  const config = testConfig({ evmChains: [demoConfig(node.recording.manifest, node.url)[0]] });
  await using _indexer = startIndexer(config, database.url, createLogger("fatal"));
  await untilIndexed(database, { [C.id]: head });
  await using served = await serveGraph({ database, config });
  let last = Number.POSITIVE_INFINITY;
  let isDone = false;
  const following = eventsOf(served.url, "22-live-blocks", { chainId: C.id }, "blockAdded", () => {
    if (last > head) last = Math.min(LAST_START, head) + 10; // The first event shows that the subscription has started.
    return last;
  }).finally(() => {
    isDone = true;
  });
  for (; !isDone && head < C.head; await sleep(60)) node.setHead("C", ++head);
  const blocks = await following;
  const numbers = blocks.map((block) => Number(at(block, "blockNumber")));
  expect(numbers.length).toBeGreaterThan(5);
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  const expected = numbers.map((number) => C.chain.blocks[number]?.block);
  expect(blocks.map((block) => at(block, "blockHash"))).toEqual(expected.map((block) => block?.hash));
  expect(blocks.map((block) => at(block, "transactions.nodes.*.txHash"))).toEqual(
    expected.map((block) => block?.transactions.map(({ hash }) => hash).slice(0, 10)),
  );
});

it("23-live-address has all transfers of an address among the transactions of the blocks", async () => {
  const address = most(C.facts.erc20_transfers, "to_address");
  const expected = C.facts.erc20_transfers.filter(involves(address));
  const first = Math.min(...expected.map((row) => Number(row["block_number"])));
  const variables = { chainId: C.id, fromBlock: String(first) };
  const blocks = await eventsOf(pages.url, "23-live-address", variables, "blockAdded", () => C.head);
  const transactions = blocks.flatMap((block) => listAt(block, "transactions.nodes"));
  const sent = transactions.filter((one) => [at(one, "from.address"), at(one, "recipient.address")].includes(address));
  const isListed = (hash: string | null | undefined) =>
    C.facts.evm_transactions.some((row) => row["tx_hash"] === hash && Number(row["block_number"]) >= first);
  expect(new Set(sent.map((one) => at(one, "txHash")))).toEqual(
    new Set(
      C.facts.evm_transactions
        .filter((row) => involves(address)(row) && isListed(row["tx_hash"]))
        .map((row) => row["tx_hash"]),
    ),
  );
  const few = new Set(
    C.facts.evm_transactions
      .map((row) => row["tx_hash"])
      .filter((hash) => C.facts.erc20_transfers.filter((row) => row["tx_hash"] === hash).length <= 10),
  );
  const transfers = transactions
    .filter((one) => few.has(at(one, "txHash") as string))
    .flatMap((one) => listAt(one, "erc20Transfers.nodes"))
    .filter((one) => [at(one, "from.address"), at(one, "to.address")].includes(address));
  const values = expected.filter((row) => few.has(row["tx_hash"])).map((row) => row["value"]);
  expect(values.length).toBeGreaterThan(2);
  expect(transfers.map((one) => at(one, "value")).sort()).toEqual(values.sort());
});

it("24-live-p-chain has the transactions of the recorded blocks", async () => {
  const { P } = readPrimaryOracle(ALPHA, await loadOfficialLibrary());
  const last = Number(P.at(-1)?.blockNumber);
  const fromBlock = last - 20;
  const variables = { network: "FUJI", blockchainId: "p-chain", fromBlock: String(fromBlock) };
  const blocks = await eventsOf(pages.url, "24-live-p-chain", variables, "primaryNetworkBlockAdded", () => last);
  expect(blocks.map((block) => at(block, "blockNumber"))).toEqual(
    Array.from({ length: 21 }, (_, index) => String(fromBlock + index)),
  );
  const expected = P.filter(({ blockNumber }) => Number(blockNumber) >= fromBlock);
  expect(blocks.flatMap((block) => listAt(block, "transactions.nodes.*.txHash"))).toEqual(
    expected.map(({ txHash }) => txHash),
  );
});

it("25-live-resume continues after the last block of a client, and each block names the one before", async () => {
  const fromBlock = C.head - 30;
  const variables = { chainId: C.id, fromBlock: String(fromBlock) };
  const blocks = await eventsOf(pages.url, "25-live-resume", variables, "blockAdded", () => C.head);
  const expected = C.chain.blocks.slice(fromBlock).map(({ block }) => block);
  expect(blocks.map((block) => at(block, "blockHash"))).toEqual(expected.map(({ hash }) => hash));
  expect(blocks.map((block) => at(block, "txCount"))).toEqual(expected.map(({ transactions }) => transactions.length));
  expect(blocks.slice(1).map((block) => at(block, "parentHash"))).toEqual(
    blocks.slice(0, -1).map((block) => at(block, "blockHash")),
  );
});
