import { setTimeout as sleep } from "node:timers/promises";
import { elementsOf } from "../../recordings/json-text.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../recordings/replay-node.ts";
import { createFilledDatabase, type TestDatabase } from "../support/database/database.ts";
import { dumpTable, fingerprint, type Tables } from "../support/database/tables.ts";
import { isFullRun, sampled } from "../support/full.ts";
import { type Indexing, startIndexing, until } from "../support/indexed/indexing.ts";
import { FAULTS, type Fault } from "../support/node/faults.ts";
import { type Behaviour, type FaultyNode, startFaultyNode } from "../support/node/faulty-node.ts";
import { expectSameRows } from "./expect-same-rows.ts";

const C = "/ext/bc/C/rpc";
const CHAIN = 760_011;
const recording = openRecording(ALPHA);
/** Number of a block with several receipts and logs. */
const HEIGHT = recording.calls(C, "eth_getLogs").findIndex(({ text }) => elementsOf(text).length > 3);
/** The heads before and after the fault. Their distance exceeds a batch, so both ways of writing are used. */
const BEFORE = HEIGHT - 3;
const END = HEIGHT + 40;
const SETTINGS = { requestTimeoutMs: 1_000, pollIntervalMs: 100 };

function hashAt(height: number): string {
  const answer = recording.answer(C, "eth_getBlockByNumber", [`0x${height.toString(16)}`, true]);
  return (JSON.parse(answer?.text ?? "{}") as { hash: string }).hash;
}

/** An indexing without faults, and its tables. */
let reference: Indexing;
let undisturbed: Tables;
let trueTokens: ReadonlySet<string>;
beforeAll(async () => {
  await using node = await startReplayNode({ recording });
  node.setHead("C", END);
  reference = await startIndexing({ chainId: CHAIN, nodeUrl: node.url + C });
  await reference.untilHead(hashAt(END));
  undisturbed = await reference.tables();
  trueTokens = new Set(undisturbed.erc20_tokens.map((token) => JSON.stringify(token)));
});
afterAll(() => reference[Symbol.asyncDispose]());

interface FaultyIndexing {
  readonly upstream: ReplayNode;
  readonly node: FaultyNode;
  readonly indexing: Indexing;
  /** Moves the node's head to `END`. */
  goOn(): void;
}

/**
 * Indexes a chain up to `BEFORE` from a node that fails on demand, then runs `act`. When the node works again, the chain must
 * reach the rows of a run without faults, and must never have had wrong rows.
 */
async function indexWithFault(act: (scene: FaultyIndexing) => Promise<void>): Promise<void> {
  await using upstream = await startReplayNode({ recording });
  upstream.setHead("C", BEFORE);
  await using node = await startFaultyNode({ upstream: upstream.url });
  await using database = await indexedUpToTheFault(upstream);
  await using indexing = await startIndexing({
    chainId: CHAIN,
    nodeUrl: node.url + C,
    indexing: SETTINGS,
    database,
  });
  await indexing.untilState("FOLLOWING");
  const watch = watchRows(indexing);
  const goOn = () => upstream.setHead("C", END);
  try {
    await act({ upstream, node, indexing, goOn });
    goOn();
    await node.heal();
    await indexing.untilHead(hashAt(END));
    await indexing.untilState("FOLLOWING", /^$/);
    const { pool } = indexing.database;
    await until(
      () => hasUntracedBlocks(pool),
      (isUntraced) => !isUntraced,
      "the call trees of all blocks",
    );
  } finally {
    expect(await watch.stop()).toEqual([]);
  }
  expectSameRows(await indexing.tables(), undisturbed);
}

/** A database with the chain up to `BEFORE`, whose state is not `FOLLOWING` until an indexer has asked its node. */
function indexedUpToTheFault(node: ReplayNode): Promise<TestDatabase> {
  return createFilledDatabase("alpha_c_before_faults", async (database) => {
    {
      await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: node.url + C, database });
      await indexing.untilHead(hashAt(BEFORE));
    }
    await database.pool.query("UPDATE chain_progress SET state = 'BACKFILLING'");
  });
}

/** Whether blocks are recorded as untraced: their call trees, which the node failed to return, are requested again later. */
async function hasUntracedBlocks(pool: TestDatabase["pool"]): Promise<boolean> {
  return (await pool.query("SELECT FROM untraced_ranges WHERE chain_id = $1", [CHAIN])).rowCount !== 0;
}

/**
 * Compares all rows repeatedly with the correct rows up to the watermark. Returns the differences. The rows of blocks that are recorded
 * as untraced are incomplete, not wrong.
 */
function watchRows({ database: { pool } }: Indexing): { stop(): Promise<string[]> } {
  const wrong: string[] = [];
  let isOver = false;
  const look = async () => {
    const wasUntraced = await hasUntracedBlocks(pool);
    const { head, rows } = await fingerprint(pool, CHAIN, null);
    const isIncomplete = wasUntraced || (await hasUntracedBlocks(pool));
    if (!isIncomplete && rows !== (await trueRows(head))) wrong.push(`the rows at block ${head}`);
    const tokens = (await dumpTable(pool, CHAIN, "erc20_tokens")).filter(
      (token) => token["metadata_status"] === "INDEXED",
    );
    wrong.push(...tokens.map((token) => JSON.stringify(token)).filter((token) => !trueTokens.has(token)));
  };
  const watching = (async () => {
    while (!isOver) {
      await look();
      await sleep(isFullRun ? 100 : 250);
    }
    await look();
  })();
  return {
    async stop() {
      isOver = true;
      await watching;
      return wrong;
    },
  };
}

const known = new Map<number, string>();

async function trueRows(head: number): Promise<string> {
  const rows = known.get(head) ?? (await fingerprint(reference.database.pool, CHAIN, head)).rows;
  known.set(head, rows);
  return rows;
}

describe("an unusable node makes the chain wait, with the reason", () => {
  const set = (behaviour: Partial<Behaviour>) => (node: FaultyNode) => void Object.assign(node.faults, behaviour);

  it.concurrent.each(
    sampled<[what: string, begin: (node: FaultyNode) => unknown, reason: RegExp]>(
      [
        ["not listening", (node) => node.down(), /^the node gave no answer \(ECONNREFUSED\)$/],
        ["cutting connections", set({ cutsConnections: true }), /^the node gave no answer \(UND_ERR_SOCKET\)$/],
        ["slower than the timeout", set({ delayMs: 1_500 }), /^the node gave no answer within 1000 ms$/],
        ["busy (429)", set({ status: { code: 429, retryAfterSeconds: 1 } }), /^the node answered HTTP 429$/],
        ["away (503)", set({ status: { code: 503 } }), /^the node answered HTTP 503$/],
        ["away for a minute", set({ status: { code: 503, retryAfterSeconds: 6 } }), /answered HTTP 503/],
        ["an HTML page", set({ garbage: "html" }), /gave an answer that is not JSON$/],
        ["truncated JSON", set({ garbage: "truncated" }), /gave an answer that is not JSON$/],
        ["an empty body", set({ garbage: "empty" }), /gave an answer that is not JSON$/],
        [
          "without its methods",
          set({ wrongAnswers: [FAULTS.methodMissing("eth_getBlockByNumber")] }),
          /refuses eth_getBlockByNumber$/,
        ],
      ],
      2,
    ),
  )("%s", async (_what, begin, reason) => {
    await indexWithFault(async ({ node, indexing, goOn }) => {
      await begin(node);
      goOn();
      await indexing.untilState("WAITING", reason);
    });
  });

  it.concurrent("a head below the last stored block", async () => {
    await indexWithFault(async ({ node, indexing }) => {
      node.faults.wrongAnswers = [FAULTS.frozenHead(BEFORE - 9)];
      await indexing.untilState(
        "WAITING",
        new RegExp(`is behind: its head is block ${BEFORE - 9}, but block ${BEFORE} is indexed`),
      );
    });
  });
});

describe("wrong data of a node stops the chain, and the reason names the block", () => {
  it.concurrent.each(
    sampled<[what: string, fault: Fault, reason: RegExp]>(
      [
        ["a wrong parent", FAULTS.wrongParentHash(HEIGHT), new RegExp(`block ${HEIGHT} .*parent`)],
        [
          "a wrong parent of the next block",
          FAULTS.wrongParentHash(BEFORE + 1),
          new RegExp(`block ${BEFORE + 1} .*parent`),
        ],
        ["another number", FAULTS.otherNumber(HEIGHT), new RegExp(`the node returned block .* for block ${HEIGHT}`)],
        [
          "logs of another block",
          FAULTS.logsOfAnotherBlock(HEIGHT),
          new RegExp(`log 0 of block ${HEIGHT}: blockHash is`),
        ],
        [
          "logs of another transaction",
          FAULTS.logsOfAnotherTransaction(HEIGHT),
          new RegExp(`log 0 of block ${HEIGHT}: transactionHash is`),
        ],
        [
          "a gap between logs",
          FAULTS.logIndexGap(HEIGHT),
          new RegExp(`log 1 of block ${HEIGHT}: logIndex is 2, expected 1`),
        ],
        ["a pruned past", FAULTS.pruned(HEIGHT), new RegExp(`refuses block ${BEFORE + 1}$`)],
        [
          "a past for which it answers null",
          FAULTS.pruned(HEIGHT, "null"),
          new RegExp(`no block ${BEFORE + 1}, which is below its head`),
        ],
      ],
      3,
    ),
  )("%s", async (_what, fault, reason) => {
    await indexWithFault(async ({ node, indexing, goOn }) => {
      node.faults.wrongAnswers = [fault];
      goOn();
      await indexing.untilState("STOPPED", reason);
    });
  });

  it.concurrent("answers with the ids of other calls", async () => {
    await indexWithFault(async ({ node, indexing, goOn }) => {
      node.faults.garbage = "permutedIds";
      goOn();
      await indexing.untilState("STOPPED", /block/);
    });
  });

  it.concurrent("another answer for the last stored block", async () => {
    await indexWithFault(async ({ node, indexing }) => {
      node.faults.wrongAnswers = [FAULTS.otherNumber(BEFORE)];
      await indexing.untilState("STOPPED", new RegExp(`refuses block ${BEFORE + 1}$`));
    });
  });
});

describe("a node with few features is indexed completely", () => {
  it.concurrent.each(
    sampled<[what: string, limits: Partial<Behaviour>]>(
      [
        ["without batches", { batchLimit: 0 }],
        ["with batches of one", { batchLimit: 1 }],
        ["with batches of seven", { batchLimit: 7 }],
        ["without receipts by block", { wrongAnswers: [FAULTS.methodMissing("eth_getBlockReceipts")] }],
        ["with null for the receipts of a block", { wrongAnswers: [FAULTS.receiptsNull(HEIGHT)] }],
        ["refusing the receipts of a block", { wrongAnswers: [FAULTS.refused("eth_getBlockReceipts", HEIGHT)] }],
        ["with a missing receipt in a list", { wrongAnswers: [FAULTS.receiptsMissingOne(HEIGHT)] }],
        ["with an empty list of receipts", { wrongAnswers: [FAULTS.receiptsEmpty(HEIGHT)] }],
        ["with the list of another block's receipts", { wrongAnswers: [FAULTS.receiptsOfAnotherBlock(HEIGHT)] }],
        ["answering batches backwards", { garbage: "reordered" }],
        ["leaving out an answer of each batch", { garbage: "missingAnswer" }],
        ["giving all answers of a batch one id", { garbage: "duplicateIds" }],
      ],
      2,
    ),
  )("%s", async (_what, limits) => {
    await indexWithFault(async ({ node, indexing, goOn }) => {
      Object.assign(node.faults, limits);
      goOn();
      await indexing.untilHead(hashAt(END));
    });
  });

  it.concurrent("never gets more concurrent requests than configured", async () => {
    await using upstream = await startReplayNode({ recording });
    await using node = await startFaultyNode({ upstream: upstream.url });
    Object.assign(node.faults, { delayMs: 5, batchLimit: 4 });
    const indexing = { maxConcurrency: 5 };
    await using running = await startIndexing({ chainId: CHAIN, nodeUrl: node.url + C, indexing });
    await running.untilHead(hashAt(upstream.head("C")));
    expect(node.traffic.maxInFlight).toBeLessThanOrEqual(5);
    expect(node.traffic.maxInFlight).toBeGreaterThan(2);
  });
});

it("temporary faults leave no wrong rows", async () => {
  await indexWithFault(async ({ node, indexing, goOn }) => {
    const faults: readonly Partial<Behaviour>[] = [
      { garbage: "truncated" },
      { status: { code: 503 } },
      { wrongAnswers: [FAULTS.receiptsNull(HEIGHT)] },
      { cutsConnections: true },
      { wrongAnswers: [FAULTS.tracesNull(HEIGHT)] },
      { delayMs: 300 },
      { garbage: "permutedIds" },
      { wrongAnswers: [FAULTS.frozenHead(BEFORE - 2)] },
      { wrongAnswers: [FAULTS.wrongParentHash(HEIGHT + 1)] },
    ];
    goOn();
    for (const fault of faults) {
      await node.heal();
      Object.assign(node.faults, fault);
      const before = node.traffic.requests;
      await until(
        async () => node.traffic.requests,
        (requests) => requests > before + 1,
        "requests during the fault",
      );
    }
    await indexing.seen();
  });
});
