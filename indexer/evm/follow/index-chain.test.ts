import pino from "pino";
import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { createLogger, type Logger } from "../../../core/observability/logger.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { createRecordingClock } from "../../../test/support/clock.ts";
import { asSuperuser, createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { dumpRawBlocks, hashTables } from "../../../test/support/database/tables.ts";
import { sampled } from "../../../test/support/full.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { type BlockContent, syntheticChain } from "../../../test/support/indexed/synthetic-chain.ts";
import { createSyntheticSource, type SyntheticSource } from "../../../test/support/indexed/synthetic-source.ts";
import { createLogLines } from "../../../test/support/log-lines.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";
import { recordedBlocks } from "../../../test/support/recorded/recorded-blocks.ts";
import type { Clock } from "../../shared/clock.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import { BlockUnavailable } from "../../shared/node/lagging-node.ts";
import type { ProgressState } from "../../shared/progress.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { chainRules } from "../decode/chain-rules.ts";
import { decodeBlocks } from "../decode/encoded-block.ts";
import { createSettlements, LogsRefuted } from "../fetch/settlements.ts";
import { verifyBlock } from "../fetch/verify-block.ts";
import { appendEntries } from "../raw-blocks/entries.ts";
import { rawBlockEntry } from "../raw-blocks/stored-blocks.ts";
import { BEFORE_GENESIS } from "../store/head.ts";
import { insertBlocks } from "../store/insert-blocks.ts";
import { createPartitionsOnDemand } from "../store/partitions-on-demand.ts";
import { clearRows } from "../store/roll-back.ts";
import { createPartitions } from "../store/tables.ts";
import { type RawBlock, type WireReceipt } from "../wire/blocks.ts";
import { bloomOf } from "../wire/bloom.ts";
import type { ChainDeps } from "./chain.ts";
import { indexChain } from "./index-chain.ts";

const CHAIN = 77;
const RULES = chainRules({ chainId: CHAIN });
const TOKEN = "c0ffee".padEnd(40, "0");
const withTokens = (number: number): BlockContent => (number % 3 === 0 ? { token: TOKEN } : {});

interface Running extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly source: SyntheticSource;
  readonly states: string[];
  readonly now: ProgressState;
  /** Waits until the rows end with the newest block of the source's chain. */
  untilCaughtUp(): Promise<void>;
  untilStopped(reason: RegExp): Promise<void>;
}

interface Settings {
  readonly batchBlocks?: number;
  readonly onAsk?: SyntheticSource["onAsk"];
  readonly prepare?: (writer: Writer, database: TestDatabase) => Promise<void>;
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly maintenance?: ChainDeps["maintenance"];
}

/** Indexes a generated chain into a database of its own. */
async function index(chain: readonly RawBlock[], settings: Settings = {}): Promise<Running> {
  const { batchBlocks = 8, onAsk, prepare, logger = createLogger("silent"), clock, maintenance } = settings;
  const database = await createTestDatabase();
  const stop = new AbortController();
  const source = createSyntheticSource(CHAIN, chain);
  if (onAsk) source.onAsk = onAsk;
  const own = (await tryBecomeWriter(database.url, String(CHAIN))) as Writer;
  const writer = createPartitionsOnDemand(own, String(CHAIN));
  await prepare?.(writer, database);
  const states: string[] = [];
  let now = { state: "BACKFILLING", reason: null, blockNumber: -1 } as ProgressState;
  const progress = {
    name: "a chain",
    ids: { chainId: "7" },
    chain: "1",
    get current() {
      return now;
    },
    update(change: Partial<ProgressState>) {
      now = { ...now, ...change };
      if (states.at(-1) !== now.state) states.push(now.state);
    },
    [Symbol.asyncDispose]: async () => {},
  };
  const indexing = { batchBlocks, pollIntervalMs: 2 };
  const running = indexChain({
    rules: RULES,
    writer,
    source,
    progress,
    logger,
    indexing,
    signal: stop.signal,
    ...(clock ? { clock } : {}),
    ...(maintenance ? { maintenance } : {}),
  });
  const headHash = async () => {
    const text = "SELECT encode(block_hash, 'hex') AS hash FROM chain_heads";
    return (await database.pool.query<{ hash: string }>(text)).rows[0]?.hash;
  };
  return {
    database,
    source,
    states,
    get now() {
      return now;
    },
    untilCaughtUp: async () => {
      await until(headHash, (hash) => hash === source.chain.at(-1)?.block.hash.slice(2), "the rows to catch up", 5);
    },
    untilStopped: async (reason) => {
      await until(
        async () => now,
        (it) => it.state === "STOPPED" && reason.test(it.reason ?? ""),
        `STOPPED ${reason}`,
        5,
      );
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await own[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** A database for the rows that a chain has when it is written at once. */
let reference: { database: TestDatabase; writer: Writer };
let lastWrite: Promise<unknown> = Promise.resolve();
beforeAll(async () => {
  const database = await createTestDatabase();
  reference = { database, writer: (await tryBecomeWriter(database.url, "reference")) as Writer };
  await createPartitions(reference.writer, String(CHAIN));
});
afterAll(async () => {
  await reference.writer[Symbol.asyncDispose]();
  await reference.database[Symbol.asyncDispose]();
});

async function written(chain: readonly RawBlock[]): ReturnType<typeof hashTables> {
  const blocks = await decodeBlocks(RULES, BEFORE_GENESIS, chain);
  await reference.writer.transaction(async (session) => {
    await clearRows(session, String(CHAIN));
    await insertBlocks(session, RULES, blocks, chain.length);
  });
  return hashTables(reference.database.pool, CHAIN);
}

/** By the JSON of the chain. */
const references = new Map<string, ReturnType<typeof written>>();

function referenceOf(chain: readonly RawBlock[]): ReturnType<typeof written> {
  const key = JSON.stringify(chain);
  const known = references.get(key);
  if (known) return known;
  const expected = lastWrite.then(() => written(chain));
  lastWrite = expected.catch(() => {});
  references.set(key, expected);
  return expected;
}

/** Expects the rows that the chain has when it is written at once. */
async function expectRowsOf({ database }: Running, chain: readonly RawBlock[]): Promise<void> {
  expect(await hashTables(database.pool, CHAIN)).toEqual(await referenceOf(chain));
}

const rawBlocksOf = async ({ database }: Running) =>
  (await dumpRawBlocks(database.pool, CHAIN)).map(({ seq, block_number, payload }) => [
    Number(seq),
    Number(block_number),
    payload === null ? "rollback" : "block",
  ]);

/** A hook that runs `act` before the nth answer of a kind. */
const once = (what: string, nth: number, act: () => void): SyntheticSource["onAsk"] => {
  let count = 0;
  return (asked) => {
    if (asked.what === what && ++count === nth) act();
  };
};

const main = syntheticChain("main", 60, withTokens);
const other = (fork: number, length: number) => syntheticChain("other", length, withTokens, { from: main, fork });

describe("a node that reorganises", () => {
  it.concurrent.each<[when: string, what: string, nth: number]>([
    ["between its head and the first blocks", "blocks", 1],
    ["while one batch is written and the next is fetched", "blocks", 3],
    ["before it gives its head for the second time", "head", 2],
    ["when asked for its genesis", "blockRef", 1],
  ])("%s: is followed without a stop", async (_when, what, nth) => {
    let running: Running | null = null;
    const exchange = () => {
      if (running) running.source.chain = other(4, 70);
    };
    const onAsk = once(what, nth, exchange);
    await using index1 = await index(main.slice(0, 40), { onAsk });
    running = index1;
    await index1.untilCaughtUp();
    exchange();
    await index1.untilCaughtUp();
    await expectRowsOf(index1, other(4, 70));
    expect(index1.states).not.toContain("STOPPED");
  });

  it.concurrent("within a batch, or between a block and its receipts: is retried at once and does not stop", async () => {
    const inconsistency = once("blocks", 2, () => {
      throw new BadUpstreamData("block 9 names parent 0x1, but the node's block 8 is 0x2");
    });
    await using running = await index(main, { onAsk: inconsistency });
    await running.untilCaughtUp();
    expect(running.states).not.toContain("STOPPED");
    await expectRowsOf(running, main);
  });

  it.concurrent("repeatedly during the search for the common block: ends with the rows of its last chain", async () => {
    await using running = await index(main);
    await running.untilCaughtUp();
    let exchanges = 0;
    running.source.onAsk = ({ what }) => {
      if (what === "blockRef") running.source.chain = exchanges++ % 2 ? other(10, 61) : other(40, 62);
    };
    running.source.chain = other(20, 65);
    await until(
      async () => exchanges,
      (count) => count > 4,
      "some exchanges",
      5,
    );
    running.source.onAsk = () => {};
    await running.untilCaughtUp();
    await expectRowsOf(running, running.source.chain);
  });

  it.concurrent("to a shorter chain: is followed, down to the first block", async () => {
    await using running = await index(main);
    await running.untilCaughtUp();
    const shortest = syntheticChain("shortest", 2, withTokens, { from: main, fork: 1 });
    for (const chain of [other(30, 40), other(1, 5), shortest]) {
      running.source.chain = chain;
      await running.untilCaughtUp();
      await expectRowsOf(running, chain);
    }
    running.source.chain = syntheticChain("third", 30, withTokens, { from: main, fork: 1 });
    await running.untilCaughtUp();
    expect((await rawBlocksOf(running)).filter(([, number, kind]) => number === 0 && kind === "rollback")).not.toEqual(
      [],
    );
  });

  it.concurrent("to a shorter chain while blocks are fetched: is followed without a stop", async () => {
    await using running = await index(main.slice(0, 20));
    await running.untilCaughtUp();
    running.source.onAsk = once("blocks", 1, () => {
      running.source.chain = other(18, 23);
    });
    running.source.chain = main;
    await running.untilCaughtUp();
    await expectRowsOf(running, other(18, 23));
    expect(running.states).not.toContain("STOPPED");
  });
});

describe("a node that contradicts itself stops the chain, without a change of the rows:", () => {
  async function expectStopped(contradict: (running: Running) => void, reason: RegExp): Promise<void> {
    await using running = await index(main);
    await running.untilCaughtUp();
    const before = await hashTables(running.database.pool, CHAIN);
    const truth = running.source.chain;
    contradict(running);
    await running.untilStopped(reason);
    expect(await hashTables(running.database.pool, CHAIN)).toEqual(before);
    expect((await rawBlocksOf(running)).some(([, , kind]) => kind === "rollback")).toBe(false);
    running.source.onAsk = () => {};
    running.source.chain = truth;
    await until(
      async () => running.now.state,
      (state) => state === "FOLLOWING",
      "FOLLOWING",
      5,
    );
  }

  it.concurrent("its genesis differs from the indexed genesis", async () => {
    const strange = syntheticChain("strange", 80);
    await expectStopped(({ source }) => {
      source.chain = strange;
    }, /genesis is 0x/);
  });

  it.concurrent("it has no blocks below its head", async () => {
    await expectStopped(({ source }) => {
      source.chain = [...other(50, 70)].map((raw, i) => (i > 0 && i < 60 ? (undefined as unknown as RawBlock) : raw));
    }, /the node has no block 59, which is below its head/);
  });

  it.concurrent("its next block names another parent than its own last block", async () => {
    await expectStopped(({ source }) => {
      source.chain = [...main, ...other(20, 61).slice(60)];
    }, /block 60 of the node does not name the node's own block 59 as its parent/);
  });

  it.concurrent("its head is another block than its block at that height", async () => {
    await expectStopped(({ source }) => {
      const [strange] = other(20, 60).slice(59);
      source.onAsk = ({ what }) => {
        source.chain = what === "head" ? [...main.slice(0, 59), strange as RawBlock] : main;
      };
    }, /the node returned two different blocks 59: one as its head, the other by its number/);
  });

  it.concurrent("a transaction is in two blocks, which the tables reject", async () => {
    const twice = syntheticChain(
      "main",
      62,
      (number) => ({ ...withTokens(number), ...(number > 59 ? { transactionHash: `0x${"77".repeat(32)}` } : {}) }),
      { from: main, fork: 60 },
    );
    await using running = await index(twice);
    await running.untilStopped(
      /block 61 cannot be stored: its transaction 0x[\da-f]{64} is already stored in another place/,
    );
    expect((await rawBlocksOf(running)).length).toBe(61);
    running.source.chain = syntheticChain("main", 70, withTokens, { from: twice, fork: 61 });
    await running.untilCaughtUp();
    await expectRowsOf(running, running.source.chain);
  });

  it.concurrent("a block near the head cannot be decoded; the blocks before it are written", async () => {
    await using running = await index(main.slice(0, 50));
    await running.untilCaughtUp();
    running.source.chain = main
      .slice(0, 58)
      .map((raw, i) => (i === 55 ? { ...raw, block: { ...raw.block, timestamp: `0x${"f".repeat(16)}` } } : raw));
    await running.untilStopped(/block 55: timestamp is 18446744073709551615, more than 63 bits/);
    expect((await rawBlocksOf(running)).length).toBe(55);
    running.source.chain = main;
    await running.untilCaughtUp();
    await expectRowsOf(running, main);
  });

  it.concurrent("a value does not fit its column; the block is not in the raw blocks", async () => {
    const invalid = main.map((raw, i) =>
      i === 55 ? { ...raw, block: { ...raw.block, timestamp: `0x${"f".repeat(16)}` } } : raw,
    );
    await using running = await index(invalid);
    await running.untilStopped(/block 55: timestamp is 18446744073709551615, more than 63 bits/);
    expect((await rawBlocksOf(running)).length).toBeLessThanOrEqual(55);
    running.source.chain = main;
    await running.untilCaughtUp();
    await expectRowsOf(running, main);
  });
});

describe("the maintenance of the tables", () => {
  it("is told of each batch of a chain that is far behind, and that the chain has caught up", async () => {
    const calls: string[] = [];
    const maintenance = { afterBatch: () => void calls.push("batch"), atHead: () => void calls.push("head") };
    await using running = await index(syntheticChain("maintained", 60), { batchBlocks: 20, maintenance });
    await until(
      async () => calls.at(-1),
      (call) => call === "head",
      "the head",
      5,
    );
    expect([...new Set(calls)]).toEqual(["batch", "head"]);
    const batched = async () =>
      Number((await running.database.pool.query("SELECT batched_blocks FROM chain_heads")).rows[0]?.batched_blocks);
    const before = await batched();
    expect(before).toBeGreaterThanOrEqual(40);
    // Blocks that follow one by one do not count.
    running.source.chain = syntheticChain("maintained", 62);
    await running.untilCaughtUp();
    expect(await batched()).toBe(before);
    expect(calls.filter((call) => call === "batch").length).toBeLessThanOrEqual(3);
  });
});

describe("the statistics of the tables of a chain that is far behind", () => {
  const long = syntheticChain("statistics", 400, withTokens);

  it.concurrent.each<[reason: string, breakIt: (database: string) => Promise<unknown>, message: RegExp]>([
    [
      "the role may not read the view of statistics",
      (url) => asSuperuser(url, "REVOKE SELECT ON pg_stats FROM PUBLIC"),
      /permission denied for view pg_stats/,
    ],
    [
      "ANALYZE fails",
      // PostgreSQL computes the expression only in ANALYZE.
      (url) => asSuperuser(url, `CREATE STATISTICS failing ON (1 / (gas_used - gas_used)) FROM evm_blocks_${CHAIN}`),
      /division by zero/,
    ],
  ])("are missing if %s: the log says why, and the chain catches up", async (_reason, breakIt, message) => {
    const { logger, lines } = createLogLines("warn");
    const prepare = async (writer: Writer, { url }: TestDatabase) => {
      await createPartitions(writer, String(CHAIN));
      await breakIt(url);
    };
    await using running = await index(long, { batchBlocks: 100, prepare, logger });
    await running.untilCaughtUp();
    await expectRowsOf(running, long);
    expect(running.states).not.toContain("STOPPED");
    expect(running.states).not.toContain("WAITING");
    const expected = new RegExp(`^the statistics of the tables could not be made: .*${message.source}`);
    expect(lines.map(({ msg }) => msg)).toContainEqual(expect.stringMatching(expected));
  });
});

describe("raw blocks that are ahead of the rows", () => {
  /** The state of a replay that was interrupted: blocks are stored, and their rows are not computed. */
  const rawBlocksOnly = (chain: readonly RawBlock[]) => async (writer: Writer) => {
    const blocks = await decodeBlocks(RULES, BEFORE_GENESIS, chain);
    const entries = await Promise.all(
      chain.map((raw, i) => rawBlockEntry(raw, blocks[i] as (typeof blocks)[0], i + 1)),
    );
    await createPartitions(writer, String(CHAIN));
    await writer.transaction((session) => appendEntries(session, String(CHAIN), entries));
  };

  it.concurrent("is replayed before the first request to the node", async () => {
    await using running = await index(main, { prepare: rawBlocksOnly(main.slice(0, 50)) });
    await running.untilCaughtUp();
    await expectRowsOf(running, main);
    expect(running.source.asked.find(({ what }) => what === "blocks")).toMatchObject({ from: 50 });
    expect(await rawBlocksOf(running)).toHaveLength(60);
  });

  it.concurrent("of another branch than the node's is replayed, then rolled back to the common block", async () => {
    await using running = await index(other(10, 70), { prepare: rawBlocksOnly(main.slice(0, 50)) });
    await running.untilCaughtUp();
    await expectRowsOf(running, other(10, 70));
    const rawBlocks = await rawBlocksOf(running);
    expect(rawBlocks[50]).toEqual([51, 9, "rollback"]);
    expect(rawBlocks.at(-1)).toEqual([51 + 60, 69, "block"]);
  });

  it.concurrent("is not replayed further once the indexer stops", async () => {
    const long = syntheticChain("long", 400, withTokens);
    const database = await (async () => {
      await using running = await index(long, { prepare: rawBlocksOnly(long) });
      await until(
        async () => running.now.blockNumber,
        (number) => number > 0,
        "some rows",
        1,
      );
      return running.now.blockNumber;
    })();
    expect(database).toBeLessThan(399);
  });
});

it.concurrent("the log gives the reason once if blocks have no call trees", async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  await using running = await index(main, { logger });
  await running.untilCaughtUp();
  expect(lines).toMatchObject([{ chainId: String(CHAIN), reason: "a made chain has no traces" }]);
});

describe("a node that is unavailable", () => {
  it.concurrent("is not called again before its retry-after", async () => {
    const clock = createRecordingClock();
    const fail = once("head", 2, () => {
      throw new NodeUnavailable("the node answered HTTP 429", 700_000);
    });
    await using running = await index(main, { onAsk: fail, clock });
    await running.untilCaughtUp();
    await until(
      async () => running.states,
      (states) => states.includes("WAITING") && states.at(-1) === "FOLLOWING",
      "WAITING, then FOLLOWING",
      5,
    );
    expect(clock.sleeps).toContain(700_000);
  });
});

describe("one of several nodes behind the node's address", () => {
  /** Answers every second request from a node whose head is lower. */
  const alternating = (what: string, lagging: readonly RawBlock[]) => {
    let running: Running | null = null;
    let asks = 0;
    return {
      begin(started: Running) {
        running = started;
      },
      onAsk: (asked: { what: string }) => {
        if (running && asked.what === what) running.source.chain = asks++ % 2 ? main : lagging;
      },
      asks: () => asks,
    };
  };

  it.concurrent.each([1, 10])("that is %d blocks behind does not change the chain's state", async (blocks) => {
    const scene = alternating("head", main.slice(0, main.length - blocks));
    await using running = await index(main, { onAsk: scene.onAsk });
    await running.untilCaughtUp();
    await until(
      async () => running.now.state,
      (state) => state === "FOLLOWING",
      "FOLLOWING",
      2,
    );
    const changes = running.states.length;
    scene.begin(running);
    await until(
      async () => scene.asks(),
      (asks) => asks > 100,
      "many polls",
      2,
    );
    expect(running.states.slice(changes)).toEqual([]);
    expect(running.now).toMatchObject({ state: "FOLLOWING", reason: null, nodeBlockNumber: 59 });
  });

  it.concurrent("that lacks the newest blocks does not change the chain's state", async () => {
    const scene = alternating("blocks", main.slice(0, 50));
    await using running = await index(main.slice(0, 50), { onAsk: scene.onAsk });
    await running.untilCaughtUp();
    scene.begin(running);
    running.source.onAsk = (asked) => {
      running.source.chain = main;
      scene.onAsk(asked);
    };
    await running.untilCaughtUp();
    expect(running.states).not.toContain("STOPPED");
    expect(running.states).not.toContain("WAITING");
  });

  it.concurrent("makes the chain wait if the others lag too, with the reason", async () => {
    await using running = await index(main);
    await running.untilCaughtUp();
    running.source.chain = main.slice(0, 40);
    await until(
      async () => running.now,
      ({ state, reason }) => state === "WAITING" && /^the node is behind: its head is block 39/.test(reason ?? ""),
      "WAITING",
      5,
    );
    running.source.chain = main;
    await until(
      async () => running.now.state,
      (state) => state === "FOLLOWING",
      "FOLLOWING",
      5,
    );
  });
});

describe("a chain whose blocks are executed after they are accepted", () => {
  const recorded: readonly RawBlock[] = recordedBlocks(openRecording(recordingFolder("streaming")))
    .sort((one, other) => one.number - other.number)
    .map(({ block, receipts }) => ({ block, receipts, traces: null }));
  const settlesLater = ({ block }: RawBlock) => block.settledHeight !== undefined;
  const firstSettlingLater = recorded.findIndex(settlesLater);
  /** A block whose last log the node has lost; the receipt's bloom is that of the remaining logs. */
  const damaged = recorded.findIndex((raw) => settlesLater(raw) && raw.receipts.some(({ logs }) => logs.length > 1));
  const settling = recorded.findIndex(({ block }) => Number(block.settledHeight ?? 0) >= damaged);

  function withoutALog({ block, receipts }: RawBlock): RawBlock {
    const last = receipts.findLastIndex(({ logs }) => logs.length > 0);
    const lost = (receipt: WireReceipt) => {
      const logs = receipt.logs.slice(0, -1);
      return { ...receipt, logs, logsBloom: bloomOf(logs) };
    };
    const left = receipts.map((receipt, index) => (index === last ? lost(receipt) : receipt));
    return verifyBlock(Number(block.number), block, left);
  }

  const damagedChain = recorded.map((raw, number) => (number === damaged ? withoutALog(raw) : raw));

  it.each<number>(sampled([1, 3, 100], 2))("is indexed, in batches of %i blocks", async (batchBlocks) => {
    expect([firstSettlingLater > 20, settling > damaged, recorded.length > settling]).toEqual([true, true, true]);
    await using running = await index(recorded, { batchBlocks });
    await running.untilCaughtUp();
    await expectRowsOf(running, recorded);
    expect(running.states).not.toContain("STOPPED");
  });

  it.each<number>(sampled([1, 3, 100], 2))(
    "stops where a block settles other logs than the node gave, and rolls these back: batches of %i",
    async (batchBlocks) => {
      await using running = await index(damagedChain.slice(0, settling), { batchBlocks });
      await running.untilCaughtUp();
      running.source.chain = damagedChain;
      await running.untilStopped(
        new RegExp(`^block ${settling} settles blocks \\d+ to \\d+ with a bloom that does not match their logs$`),
      );
      expect(running.now.blockNumber).toBeLessThan(damaged);
      running.source.chain = recorded;
      await running.untilCaughtUp();
      await expectRowsOf(running, recorded);
    },
  );

  it("writes nothing while the node keeps returning the wrong logs, in batches of 1 block", async () => {
    await using running = await index(damagedChain.slice(0, settling), { batchBlocks: 1 });
    await running.untilCaughtUp();
    running.source.chain = damagedChain;
    await running.untilStopped(/with a bloom that does not match their logs$/);
    const rawBlocks = await rawBlocksOf(running);
    const attempts = () => running.source.asked.filter(({ what }) => what === "head").length;
    const before = attempts();
    await until(
      async () => attempts(),
      (count) => count > before + 3,
      "more attempts",
      5,
    );
    expect(await rawBlocksOf(running)).toEqual(rawBlocks);
    running.source.chain = recorded;
    await running.untilCaughtUp();
    await expectRowsOf(running, recorded);
  });

  it("is verified after a restart at any block", async () => {
    await using running = await index(recorded);
    await running.untilCaughtUp();
    const deps = { chainId: String(CHAIN), writer: reference.writer, source: running.source };
    await written(recorded);
    const startAt = (number: number) => createSettlements(deps).verify(recorded[number] as RawBlock);
    for (let number = 1; number < recorded.length; number++) await startAt(number);
    const gone = await reference.database.pool.query("DELETE FROM evm_logs WHERE chain_id = $1 AND block_number = $2", [
      CHAIN,
      damaged,
    ]);
    expect(gone.rowCount).toBeGreaterThan(0);
    await expect(startAt(settling)).rejects.toThrow(LogsRefuted);
    const laggingSource = { blockRef: async () => null };
    const verifying = createSettlements({ ...deps, source: laggingSource }).verify(recorded[settling] as RawBlock);
    await expect(verifying).rejects.toThrow(BlockUnavailable);
    const wrongSource = { blockRef: async () => ({ number: 50_000, hash: "", parentHash: "", settledHeight: 3 }) };
    const next = { block: { ...(recorded[settling] as RawBlock).block, number: "0xc351" }, receipts: [], traces: null };
    await expect(createSettlements({ ...deps, source: wrongSource }).verify(next)).rejects.toThrow(
      "block 50000 settles block 3",
    );
  });
});
