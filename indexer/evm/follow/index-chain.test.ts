import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import { BadUpstreamData } from "../../../core/errors.ts";
import { createLogger, type Logger } from "../../../core/logger.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { dumpJournal, dumpTables } from "../../../test/support/database/tables.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { type MadeContent, madeChain } from "../../../test/support/indexed/made-chain.ts";
import { createMadeSource, type MadeSource } from "../../../test/support/indexed/made-source.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";
import { recordedBlocks } from "../../../test/support/recorded/recorded-blocks.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { ProgressState } from "../../shared/progress.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { chainRules } from "../decode/chain-rules.ts";
import { createSettlements, LogsRefuted } from "../fetch/settlements.ts";
import { verifyBlock } from "../fetch/verify-block.ts";
import { appendEntries } from "../raw-store/journal.ts";
import { decodeBlocks, entryOf } from "../replay/replay.ts";
import { BEFORE_GENESIS, clearRows, createPartitions, insertBlocks } from "../store/tables.ts";
import type { RawBlock, WireReceipt } from "../wire/blocks.ts";
import { bloomOf } from "../wire/bloom.ts";
import { indexChain } from "./index-chain.ts";

const CHAIN = 77;
const RULES = chainRules({ chainId: CHAIN });
const TOKEN = "c0ffee".padEnd(40, "0");
const withTokens = (number: number): MadeContent => (number % 3 === 0 ? { token: TOKEN } : {});

interface Running extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly source: MadeSource;
  readonly states: string[];
  readonly now: ProgressState;
  /** Waits until the rows end with the newest block of the source's chain. */
  untilCaughtUp(): Promise<void>;
  untilStopped(reason: RegExp): Promise<void>;
}

interface Settings {
  readonly batchBlocks?: number;
  readonly onAsk?: MadeSource["onAsk"];
  readonly prepare?: (writer: Writer) => Promise<void>;
  readonly logger?: Logger;
}

/** Indexes a made chain into a database of its own. */
async function index(chain: readonly RawBlock[], settings: Settings = {}): Promise<Running> {
  const { batchBlocks = 8, onAsk, prepare, logger = createLogger("silent") } = settings;
  const database = await createTestDatabase();
  const stop = new AbortController();
  const source = createMadeSource(CHAIN, chain);
  if (onAsk) source.onAsk = onAsk;
  const writer = (await tryBecomeWriter(database.url, String(CHAIN))) as Writer;
  await prepare?.(writer);
  const states: string[] = [];
  let now = { state: "BACKFILLING", reason: null, blockNumber: -1 } as ProgressState;
  const progress = {
    name: "a chain",
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
  const running = indexChain({ rules: RULES, writer, source, progress, logger, indexing, signal: stop.signal });
  const look = async () => (await dumpTables(database.pool, CHAIN)).tables.evm_blocks.at(-1)?.["block_hash"];
  return {
    database,
    source,
    states,
    get now() {
      return now;
    },
    untilCaughtUp: async () => {
      const head = () => `\\x${source.chain.at(-1)?.block.hash.slice(2)}`;
      await until(look, (hash) => hash === head(), "the rows to catch up", 5);
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
      await writer[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Writes a whole chain in one go, and nothing else, each time anew. */
let reference: { database: TestDatabase; writer: Writer };
let inTurn: Promise<unknown> = Promise.resolve();
beforeAll(async () => {
  const database = await createTestDatabase();
  reference = { database, writer: (await tryBecomeWriter(database.url, "reference")) as Writer };
  await createPartitions(reference.writer, String(CHAIN));
});
afterAll(async () => {
  await reference.writer[Symbol.asyncDispose]();
  await reference.database[Symbol.asyncDispose]();
});

async function written(chain: readonly RawBlock[]): ReturnType<typeof dumpTables> {
  const blocks = await decodeBlocks(RULES, BEFORE_GENESIS, chain);
  await reference.writer.transaction(async (session) => {
    await clearRows(session, String(CHAIN));
    await insertBlocks(session, RULES, blocks, chain.length);
  });
  return dumpTables(reference.database.pool, CHAIN);
}

/** The rows are those that this chain has when it is written alone and at once. */
async function expectRowsOf({ database }: Running, chain: readonly RawBlock[]): Promise<void> {
  const expected = inTurn.then(() => written(chain));
  inTurn = expected.catch(() => {});
  expect(await dumpTables(database.pool, CHAIN)).toEqual(await expected);
}

const journalOf = async ({ database }: Running) =>
  (await dumpJournal(database.pool, CHAIN)).map(({ seq, block_number, payload }) => [
    Number(seq),
    Number(block_number),
    payload === null ? "rollback" : "block",
  ]);

/** A hook that does something before the nth answer of a kind, and nothing else. */
const once = (what: string, nth: number, act: () => void): MadeSource["onAsk"] => {
  let count = 0;
  return (asked) => {
    if (asked.what === what && ++count === nth) act();
  };
};

const main = madeChain("main", 60, withTokens);
const other = (fork: number, length: number) => madeChain("other", length, withTokens, { from: main, fork });

describe("a node that reorganises while it is asked", () => {
  it.concurrent.each<[when: string, what: string, nth: number]>([
    ["between its head and the first blocks", "blocks", 1],
    ["while one batch is written and the next is fetched", "blocks", 3],
    ["before it says its head for the second time", "head", 2],
    ["when asked for its genesis", "blockRef", 1],
  ])("%s is followed without a stop", async (_when, what, nth) => {
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

  it.concurrent("within a batch, or between a block and its receipts, is asked again at once and does not stop", async () => {
    const lie = once("blocks", 2, () => {
      throw new BadUpstreamData("block 9 names parent 0x1, but the node's block 8 is 0x2");
    });
    await using running = await index(main, { onAsk: lie });
    await running.untilCaughtUp();
    expect(running.states).not.toContain("STOPPED");
    await expectRowsOf(running, main);
  });

  it.concurrent("again and again while the ancestor is looked for ends with the rows of what it shows in the end", async () => {
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

  it.concurrent("to a shorter chain is followed, down to the first block", async () => {
    await using running = await index(main);
    await running.untilCaughtUp();
    const shortest = madeChain("shortest", 2, withTokens, { from: main, fork: 1 });
    for (const chain of [other(30, 40), other(1, 5), shortest]) {
      running.source.chain = chain;
      await running.untilCaughtUp();
      await expectRowsOf(running, chain);
    }
    running.source.chain = madeChain("third", 30, withTokens, { from: main, fork: 1 });
    await running.untilCaughtUp();
    expect((await journalOf(running)).filter(([, number, kind]) => number === 0 && kind === "rollback")).not.toEqual(
      [],
    );
  });

  it.concurrent("to a chain that grows shorter while its blocks are fetched is followed without a stop", async () => {
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

describe("a node that contradicts itself stops the chain without a row changed:", () => {
  async function expectStopped(lie: (running: Running) => void, reason: RegExp): Promise<void> {
    await using running = await index(main);
    await running.untilCaughtUp();
    const before = await dumpTables(running.database.pool, CHAIN);
    const truth = running.source.chain;
    lie(running);
    await running.untilStopped(reason);
    expect(await dumpTables(running.database.pool, CHAIN)).toEqual(before);
    expect((await journalOf(running)).some(([, , kind]) => kind === "rollback")).toBe(false);
    running.source.onAsk = () => {};
    running.source.chain = truth;
    await until(
      async () => running.now.state,
      (state) => state === "FOLLOWING",
      "FOLLOWING",
      5,
    );
  }

  it.concurrent("it shares no block with what is stored", async () => {
    const strange = madeChain("strange", 80);
    await expectStopped(({ source }) => {
      source.chain = strange;
    }, /genesis is 0x/);
  });

  it.concurrent("it denies blocks below its head", async () => {
    await expectStopped(({ source }) => {
      source.chain = [...other(50, 70)].map((raw, i) => (i > 0 && i < 60 ? (undefined as unknown as RawBlock) : raw));
    }, /the node has no block 59, which is below its head/);
  });

  it.concurrent("its next block names another parent than the one that it gives", async () => {
    await expectStopped(({ source }) => {
      source.chain = [...main, ...other(20, 61).slice(60)];
    }, /block 60 of the node does not name the node's own block 59 as its parent/);
  });

  it.concurrent("its head is another than its block of that height", async () => {
    await expectStopped(({ source }) => {
      const [strange] = other(20, 60).slice(59);
      source.onAsk = ({ what }) => {
        source.chain = what === "head" ? [...main.slice(0, 59), strange as RawBlock] : main;
      };
    }, /the node's head is block 59, but asked for it the node answers another/);
  });

  it.concurrent("a transaction is in two blocks, which the tables refuse", async () => {
    const twice = madeChain(
      "main",
      62,
      (number) => ({ ...withTokens(number), ...(number > 59 ? { transactionHash: `0x${"77".repeat(32)}` } : {}) }),
      { from: main, fork: 60 },
    );
    await using running = await index(twice);
    await running.untilStopped(/block 61 cannot be stored: duplicate key/);
    expect((await journalOf(running)).length).toBe(61);
    running.source.chain = madeChain("main", 70, withTokens, { from: twice, fork: 61 });
    await running.untilCaughtUp();
    await expectRowsOf(running, running.source.chain);
  });

  it.concurrent("a value has no place in the tables, and nothing of it is kept to be replayed", async () => {
    const odd = main.map((raw, i) =>
      i === 55 ? { ...raw, block: { ...raw.block, timestamp: `0x${"f".repeat(16)}` } } : raw,
    );
    await using running = await index(odd);
    await running.untilStopped(/block 55: timestamp is 18446744073709551615, more than 63 bits/);
    expect((await journalOf(running)).length).toBeLessThanOrEqual(55);
    running.source.chain = main;
    await running.untilCaughtUp();
    await expectRowsOf(running, main);
  });
});

describe("a journal that is ahead of the rows", () => {
  /** As after a kill of a version that stored blocks first and wrote their rows later. */
  const journalOnly = (chain: readonly RawBlock[]) => async (writer: Writer) => {
    const blocks = await decodeBlocks(RULES, BEFORE_GENESIS, chain);
    const entries = await Promise.all(chain.map((raw, i) => entryOf(raw, blocks[i] as (typeof blocks)[0], i + 1)));
    await createPartitions(writer, String(CHAIN));
    await writer.transaction((session) => appendEntries(session, String(CHAIN), entries));
  };

  it.concurrent("is replayed before the node is asked for anything", async () => {
    await using running = await index(main, { prepare: journalOnly(main.slice(0, 50)) });
    await running.untilCaughtUp();
    await expectRowsOf(running, main);
    expect(running.source.asked.find(({ what }) => what === "blocks")).toMatchObject({ from: 50 });
    expect(await journalOf(running)).toHaveLength(60);
  });

  it.concurrent("and of another branch than the node's is replayed, and then taken back as far as need be", async () => {
    await using running = await index(other(10, 70), { prepare: journalOnly(main.slice(0, 50)) });
    await running.untilCaughtUp();
    await expectRowsOf(running, other(10, 70));
    const journal = await journalOf(running);
    expect(journal[50]).toEqual([51, 9, "rollback"]);
    expect(journal.at(-1)).toEqual([51 + 60, 69, "block"]);
  });

  it.concurrent("is left where it is by a stop, and goes on from there", async () => {
    const long = madeChain("long", 400, withTokens);
    const database = await (async () => {
      await using running = await index(long, { prepare: journalOnly(long) });
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

it.concurrent("the log says why blocks are without their call trees, once", async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  await using running = await index(main, { logger });
  await running.untilCaughtUp();
  expect(lines).toMatchObject([{ chainId: String(CHAIN), reason: "a made chain has no traces" }]);
});

describe("a node that is away", () => {
  it.concurrent("is waited for as long as it asks", async () => {
    const away = once("head", 2, () => {
      throw new NodeUnavailable("the node answered HTTP 429", 700);
    });
    await using running = await index(main, { onAsk: away });
    await until(
      async () => running.now.state,
      (state) => state === "WAITING",
      "WAITING",
      5,
    );
    const asked = running.source.asked.length;
    await sleep(500);
    expect(running.source.asked.length).toBe(asked);
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
  const isLate = ({ block }: RawBlock) => block.settledHeight !== undefined;
  const firstLate = recorded.findIndex(isLate);
  /** A late block whose last log a node has lost; of what it has left it makes the receipt's bloom anew. */
  const damaged = recorded.findIndex((raw) => isLate(raw) && raw.receipts.some(({ logs }) => logs.length > 1));
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

  const spoilt = recorded.map((raw, number) => (number === damaged ? withoutALog(raw) : raw));

  it.each([1, 3, 100])("is taken in, in batches of %i blocks", async (batchBlocks) => {
    expect([firstLate > 20, settling > damaged, recorded.length > settling]).toEqual([true, true, true]);
    await using running = await index(recorded, { batchBlocks });
    await running.untilCaughtUp();
    await expectRowsOf(running, recorded);
    expect(running.states).not.toContain("STOPPED");
  });

  it.each([1, 3, 100])(
    "stops where a block settles other logs than the node gave, and takes them back: batches of %i",
    async (batchBlocks) => {
      await using running = await index(spoilt.slice(0, settling), { batchBlocks });
      await running.untilCaughtUp();
      running.source.chain = spoilt;
      await running.untilStopped(
        new RegExp(`^block ${settling} settles blocks \\d+ to \\d+ with a bloom that is not that of their logs$`),
      );
      expect(running.now.blockNumber).toBeLessThan(damaged);
      running.source.chain = recorded;
      await running.untilCaughtUp();
      await expectRowsOf(running, recorded);
    },
  );

  it("is held to what it settles after a start at any block", async () => {
    await using running = await index(recorded);
    await running.untilCaughtUp();
    const deps = { chainId: String(CHAIN), writer: reference.writer, source: running.source };
    await written(recorded);
    const startAt = (number: number) => createSettlements(deps).verify(recorded.slice(number, number + 1));
    for (let number = 1; number < recorded.length; number++) await startAt(number);
    const gone = await reference.database.pool.query("DELETE FROM evm_logs WHERE chain_id = $1 AND block_number = $2", [
      CHAIN,
      damaged,
    ]);
    expect(gone.rowCount).toBeGreaterThan(0);
    await expect(startAt(settling)).rejects.toThrow(LogsRefuted);
    const liar = { blockRef: async () => ({ number: 50_000, hash: "", parentHash: "", settledHeight: 3 }) };
    const late = { block: { ...(recorded[settling] as RawBlock).block, number: "0xc351" }, receipts: [], traces: null };
    await expect(createSettlements({ ...deps, source: liar }).verify([late])).rejects.toThrow(
      "block 50000 settles block 3",
    );
  });
});
