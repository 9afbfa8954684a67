import { copyFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decodeVertex } from "../../core/formats/codec/blocks/vertices.ts";
import { openRecording, type Recording } from "../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../recordings/replay-node.ts";
import { createFilledDatabase, createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { isFullRun, sampled } from "../../test/support/full.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { type PrimaryIndexing, startPrimaryIndexing } from "../../test/support/indexed/primary-indexing.ts";
import { dumpPrimary, type PrimaryTables } from "../../test/support/indexed/primary-tables.ts";
import type { Fault } from "../../test/support/node/faults.ts";
import { type Behaviour, type FaultyNode, startFaultyNode } from "../../test/support/node/faulty-node.ts";
import { PRIMARY_FAULTS } from "../../test/support/node/primary-faults.ts";
import { readPrimaryRecording } from "../../test/support/recorded/primary-recording.ts";

const NETWORK = 76001;
/** The blocks of the recording to which each case indexes; every faulty block is before them. */
const HEADS = isFullRun ? { P: 408, X: 143 } : { P: 120, X: 105 };
/** Head of the C-Chain, of which only the last cases need more. */
const C_HEAD = isFullRun ? 234 : 20;
const {
  wrongParent,
  truncatedBlock,
  damagedContainer,
  tamperedContainer,
  truncatedContainer,
  missingContainer,
  swappedContainers,
  twiceContainer,
  lateIndexes,
  refused,
  answers,
} = PRIMARY_FAULTS;

let recording: Recording;
let node: ReplayNode;
let faulty: FaultyNode;
let whole: PrimaryTables;
beforeAll(async () => {
  recording = openRecording(ALPHA);
  node = await startReplayNode({ recording });
  setHeads(HEADS);
  await using database = await indexedDatabase();
  whole = await dumpPrimary(database.pool, NETWORK);
});
afterAll(() => node.close());
beforeEach(async () => {
  faulty = await startFaultyNode({ upstream: node.url });
  setHeads(HEADS);
});
afterEach(() => faulty[Symbol.asyncDispose]());

function setHeads({ P, X }: typeof HEADS): void {
  node.setHead("P", P);
  node.setHead("X", X);
  node.setHead("C", C_HEAD);
}

/** Indexes P and X of the recording, without C. */
function start(options: Partial<Parameters<typeof startPrimaryIndexing>[0]>): Promise<PrimaryIndexing> {
  return startPrimaryIndexing({ folder: ALPHA, node, withCChain: false, ...options });
}

const withoutC = (options: Partial<Parameters<typeof startPrimaryIndexing>[0]> = {}) =>
  start({ nodeUrl: faulty.url, ...options });

/** A database that has P and X up to `HEADS`; its chains' states are not `FOLLOWING` until an indexer has asked its node. */
function indexedDatabase(): Promise<TestDatabase> {
  return createFilledDatabase("alpha_primary_to_heads", async (database) => {
    {
      await using indexing = await start({ database });
      await indexing.untilHeads(HEADS);
    }
    await database.pool.query("UPDATE primary_progress SET state = 'BACKFILLING'");
  });
}

/** Waits for this many more calls of a method. */
async function untilCalls(method: string, more: number): Promise<void> {
  const calls = async () => faulty.traffic.calls.get(method) ?? 0;
  const before = await calls();
  await until(calls, (now) => now >= before + more, `${more} more calls of ${method}`);
}

interface Wrong {
  readonly name: string;
  readonly faults: Partial<Behaviour>;
  readonly chain: "P" | "X";
  readonly state: "WAITING" | "STOPPED";
  readonly reason: RegExp;
  /** Last block of the chain that the rows may have; -1: none. */
  readonly last: number;
}

const WITHOUT_INDEX = /^\/ext\/index/;

const WRONG: readonly Wrong[] = [
  {
    name: "answers 503",
    faults: { status: { code: 503 } },
    chain: "P",
    state: "WAITING",
    reason: /^the node answered HTTP 503$/,
    last: -1,
  },
  {
    name: "is of another network",
    faults: { wrongAnswers: [answers("info.getNetworkID", { networkID: "5" })] },
    chain: "P",
    state: "STOPPED",
    reason: /^the node belongs to network 5, not 76001: correct primaryNetworks\[\]\.nodeUrl/,
    last: -1,
  },
  {
    name: "began with another genesis",
    faults: { wrongAnswers: [wrongGenesis()] },
    chain: "P",
    state: "STOPPED",
    reason: /^the node's genesis is \w+, not 2bvka5o\w+: correct primaryNetworks\[\]\.nodeUrl/,
    last: -1,
  },
  {
    name: "has another X-Chain",
    faults: {
      wrongAnswers: [answers("info.getBlockchainID", { blockchainID: "11111111111111111111111111111111LpoYY" })],
    },
    chain: "X",
    state: "STOPPED",
    reason: /^the node's X-Chain is 11{31}LpoYY, not nggyf7\w+$/,
    last: -1,
  },
  ...(["P", "X"] as const).map(
    (chain) =>
      ({
        name: `gives block 70 of ${chain} another parent`,
        chain,
        state: "STOPPED" as const,
        last: 69,
        faults: { missingPaths: WITHOUT_INDEX, wrongAnswers: [wrongParent(chain, 70)] },
        reason: new RegExp(
          `^block 70 of the ${chain}-Chain names \\w+ as its parent, but the block before it is \\w+$`,
        ),
      }) as const,
  ),
  {
    name: "cuts a block short",
    chain: "P",
    state: "STOPPED",
    last: 99,
    faults: { missingPaths: WITHOUT_INDEX, wrongAnswers: [truncatedBlock("P", 100)] },
    reason: /^block 100 of the P-Chain cannot be decoded: P-Chain block\b/,
  },
  {
    name: "damages a container",
    chain: "P",
    state: "STOPPED",
    last: 99,
    faults: { wrongAnswers: [damagedContainer("P", 99)] },
    reason: /^container 99 of the node's index has a wrong checksum$/,
  },
  {
    name: "gives a container another parent",
    chain: "X",
    state: "STOPPED",
    last: 99,
    faults: { wrongAnswers: [tamperedContainer("X", 99)] },
    reason: /^the id of block 100 of the X-Chain is \w+, but the node's index lists it as \w+$/,
  },
  {
    name: "cuts a container short",
    chain: "X",
    state: "STOPPED",
    last: 49,
    faults: { wrongAnswers: [truncatedContainer("X", 49)] },
    reason: /^block 50 of the X-Chain cannot be decoded: X-Chain block\b/,
  },
  {
    name: "leaves out a container",
    chain: "P",
    state: "STOPPED",
    last: 99,
    faults: { wrongAnswers: [missingContainer("P", 99)] },
    reason: /^the node returned container "100" for container 99 of the node's index$/,
  },
  {
    name: "says of itself that it has no height",
    chain: "P",
    state: "STOPPED",
    last: -1,
    faults: { wrongAnswers: [answers("platform.getHeight", { height: "many" })] },
    reason: /^the node's answer to platform.getHeight is "many", not a height$/,
  },
];

function wrongGenesis() {
  // Block 0 is an Apricot block, with its parent at the position of an X-Chain block's.
  const { answer } = wrongParent("X", 0);
  return {
    answer: (...[method, params, result, path]: Parameters<typeof answer>) =>
      method === "platform.getBlockByHeight" ? answer("avm.getBlockByHeight", params, result, path) : result,
  };
}

describe("a node that", () => {
  it.each(sampled(WRONG, 3))(
    "$name is refused with the reason, and the rows are complete once it recovers",
    async (wrong) => {
      const { faults, chain, state, reason, last } = wrong;
      Object.assign(faulty.faults, faults);
      await using indexing = await withoutC();
      await indexing.untilState(chain, state, reason);
      // The blocks before the bad one are stored, although they were fetched together with it.
      expect((await indexing.heads())[chain] ?? -1).toBe(last);
      await faulty.heal();
      await indexing.untilHeads(HEADS);
      const withWrappers = faults.missingPaths === undefined;
      if (withWrappers) expect(await dumpPrimary(indexing.database.pool, NETWORK)).toEqual(whole);
      await indexing.untilState(chain, "FOLLOWING");
    },
  );
});

describe("a node", () => {
  it("that goes down makes the chains wait, and they continue when it is back", async () => {
    setHeads({ P: 70, X: 50 });
    await using indexing = await withoutC();
    await indexing.untilHeads({ P: 70, X: 50 });
    await faulty.down();
    for (const chain of ["P", "X"] as const)
      await indexing.untilState(chain, "WAITING", /^the node gave no answer \(ECONNREFUSED\)$/);
    setHeads(HEADS);
    await faulty.up();
    await indexing.untilHeads(HEADS);
    expect(await dumpPrimary(indexing.database.pool, NETWORK)).toEqual(whole);
  });

  it("that answers info.getNetworkID with null makes the chains wait", async () => {
    setHeads({ P: 20, X: 20 });
    faulty.faults.wrongAnswers = [answers("info.getNetworkID", null)];
    await using indexing = await withoutC();
    await indexing.untilState("P", "WAITING", /^the node answered info\.getNetworkID with null$/);
    await faulty.heal();
    await indexing.untilHeads({ P: 20, X: 20 });
  });

  it("that is behind the indexed head makes the chain wait, without a rollback", async () => {
    await using database = await indexedDatabase();
    await using indexing = await withoutC({ database });
    await indexing.untilState("P", "FOLLOWING");
    node.setHead("P", 100);
    const reason = new RegExp(`^the node is behind: its head is block 100, but block ${HEADS.P} is indexed$`);
    await indexing.untilState("P", "WAITING", reason);
    expect(await indexing.heads()).toMatchObject(HEADS);
    await indexing.untilState("X", "FOLLOWING");
    node.setHead("P", HEADS.P);
    await indexing.untilState("P", "FOLLOWING");
  });

  it("that has another block at the indexed head is refused", async () => {
    node.setHead("P", 70);
    await using database = await createTestDatabase();
    {
      await using indexing = await withoutC({ database });
      await indexing.untilHeads({ P: 70, X: HEADS.X });
    }
    node.setHead("P", HEADS.P);
    faulty.faults.wrongAnswers = [wrongParent("P", 70)];
    await using indexing = await withoutC({ database });
    await indexing.untilState("P", "STOPPED", /^block 70 of the node's P-Chain is \w+, but \w+ is indexed$/);
    expect(await indexing.heads()).toMatchObject({ P: 70 });
  });

  it("whose index ends before its chain makes the chain wait", async () => {
    faulty.faults.wrongAnswers = [indexEndsAt(100)];
    await using indexing = await withoutC();
    const reason = /^the node's index of the P-Chain ends before block 101, which the node has$/;
    await indexing.untilState("P", "WAITING", reason);
    expect(await indexing.heads()).toMatchObject({ P: 100 });
    await faulty.heal();
    await indexing.untilHeads(HEADS);
    expect(await dumpPrimary(indexing.database.pool, NETWORK)).toEqual(whole);
  });

  it("that refuses ranges of its index is asked for single containers", async () => {
    faulty.faults.wrongAnswers = [refused("index.getContainerRange")];
    await using indexing = await withoutC();
    await indexing.untilHeads(HEADS);
    expect(await dumpPrimary(indexing.database.pool, NETWORK)).toEqual(whole);
    expect(faulty.traffic.calls.get("index.getContainerByIndex")).toBeGreaterThanOrEqual(HEADS.P + HEADS.X);
  });
});

describe("the node's index", () => {
  const SWITCHED_OFF = /^the node's index of the P-Chain is switched off$/;
  const proposed = async ({ database: { pool } }: PrimaryIndexing) =>
    (
      await pool.query(
        "SELECT block_number::int AS n FROM primary_blocks WHERE chain = 'P' AND proposer_id IS NOT NULL",
      )
    ).rows.length;

  it("is required if index is on", async () => {
    faulty.faults.missingPaths = WITHOUT_INDEX;
    await using indexing = await withoutC({ network: { index: "on" } });
    await indexing.untilState("P", "WAITING", SWITCHED_OFF);
    expect(await indexing.heads()).toMatchObject({ P: -1 });
    await faulty.heal();
    await indexing.untilHeads(HEADS);
    expect(await dumpPrimary(indexing.database.pool, NETWORK)).toEqual(whole);
  });

  it("is not used if index is off", async () => {
    await using indexing = await withoutC({ network: { index: "off" } });
    await indexing.untilHeads(HEADS);
    expect([...faulty.traffic.calls.keys()].filter((method) => method.startsWith("index."))).toEqual([]);
    expect(await proposed(indexing)).toBe(0);
  });

  it("of the C-Chain delays no chain, and can be turned off", async () => {
    faulty.faults.wrongAnswers = [damagedContainer("C", 9)];
    await using indexing = await withoutC();
    await indexing.untilHeads(HEADS);
    for (const chain of ["P", "X"] as const) await indexing.untilState(chain, "FOLLOWING");
    await faulty.heal();
    await indexing.untilProposers(C_HEAD);
    faulty.traffic.calls.clear();
    await using other = await withoutC({ network: { cChainProposers: false, index: "on" } });
    await other.untilHeads(HEADS);
    await other.untilProposers(0);
  });

  it.each([
    ["a damaged container", damagedContainer("C", 9)],
    ["a container that is cut short", truncatedContainer("C", 9)],
    ["a missing container", missingContainer("C", 9)],
    ["a container at another place", swappedContainers("C", 9)],
  ])(
    "of the C-Chain with %s: the blocks before it have proposers, and the others when it is repaired",
    async (_, fault) => {
      faulty.faults.wrongAnswers = [fault];
      await using indexing = await withoutC();
      await indexing.untilProposers(9);
      await untilCalls("index.getContainerRange", 4);
      await indexing.untilProposers(9);
      await faulty.heal();
      await indexing.untilProposers(C_HEAD);
    },
  );

  it("of the C-Chain must have the indexed blocks", async () => {
    await using database = await createTestDatabase();
    {
      await using indexing = await start({ database, withCChain: true, network: { cChainProposers: false } });
      await indexing.untilHeads({ C: C_HEAD });
    }
    const swap = "UPDATE evm_blocks SET block_hash = sha256(block_hash) WHERE block_number = 10 RETURNING block_hash";
    const { rows } = await database.pool.query("SELECT block_hash FROM evm_blocks WHERE block_number = 10");
    await database.pool.query(swap);
    await using indexing = await start({
      database,
      nodeUrl: faulty.url,
      withCChain: true,
    });
    await indexing.untilProposers(9);
    await untilCalls("index.getContainerRange", 4);
    await indexing.untilProposers(9);
    await database.pool.query("UPDATE evm_blocks SET block_hash = $1 WHERE block_number = 10", [rows[0]?.block_hash]);
    await indexing.untilProposers(C_HEAD);
  });

  it("is not used if its first containers are missing", async () => {
    faulty.faults.wrongAnswers = [lateIndexes(1)];
    await using indexing = await withoutC({ network: { index: "on" } });
    const reason = /^the node's index of the P-Chain is incomplete: it has block 2 at the position of block 1$/;
    await indexing.untilState("P", "WAITING", reason);
    await using other = await withoutC();
    await other.untilHeads(HEADS);
    expect(await proposed(other)).toBe(0);
  });

  it("is used from a node that has it after one without it, and the other way round", async () => {
    await using database = await createTestDatabase();
    for (const [missingPaths, heads, proposedCount] of [
      [WITHOUT_INDEX, { P: 40, X: 30 }, 0],
      [null, { P: 80, X: 60 }, 40],
      [WITHOUT_INDEX, HEADS, 40],
    ] as const) {
      faulty.faults.missingPaths = missingPaths;
      setHeads(heads);
      await using indexing = await withoutC({ database });
      await indexing.untilHeads(heads);
      expect(await proposed(indexing)).toBe(proposedCount);
    }
    const withWrappers = false;
    await using indexing = await withoutC();
    await indexing.untilHeads(HEADS);
    expect(await dumpPrimary(database.pool, NETWORK, { withWrappers })).toEqual(
      await dumpPrimary(indexing.database.pool, NETWORK, { withWrappers }),
    );
  });
});

describe("an X-Chain that started with vertices", () => {
  const DELTA = fileURLToPath(new URL("../../recordings/delta", import.meta.url));
  let delta: ReplayNode;
  let proxy: FaultyNode;
  beforeAll(async () => {
    delta = await startReplayNode({ recording: openRecording(DELTA) });
    proxy = await startFaultyNode({ upstream: delta.url });
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await delta.close();
  });
  const index = () => startPrimaryIndexing({ folder: DELTA, node: delta, nodeUrl: proxy.url, withCChain: false });
  const vertices = async ({ database: { pool } }: PrimaryIndexing) =>
    (await pool.query("SELECT count(*)::int AS count FROM x_chain_vertices")).rows[0]?.count;

  /** Place of a vertex, in the middle of a batch, whose child follows it. */
  const followed = () => {
    const decoded = readPrimaryRecording(DELTA)
      .entries.X.filter(({ isVertex }) => isVertex)
      .map(({ payload }) => decodeVertex(payload));
    return decoded.findIndex(({ id }, i) => i > 20 && decoded[i + 1]?.parentIds.includes(id));
  };

  it.each<[what: string, faultAt: (place: number) => Fault, reason: string]>([
    ["is missing", (place) => missingContainer("vertices", place), `the node returned container "N" for container`],
    [
      "is damaged",
      (place) => damagedContainer("vertices", place),
      "container \\d+ of the node's index has a wrong checksum",
    ],
    [
      "is cut short",
      (place) => truncatedContainer("vertices", place),
      "vertex \\w+ of the X-Chain cannot be decoded: X-Chain",
    ],
    [
      "is after its child",
      (place) => swappedContainers("vertices", place),
      "vertex \\w+ names \\w+ as its parent, but no vertex before",
    ],
    ["is repeated", (place) => twiceContainer("vertices", place), "the node's index lists vertex \\w+ twice"],
  ])("stops at a vertex that %s, and continues when it is repaired", async (_, faultAt, reason) => {
    const place = followed();
    expect(place).toBeLessThan(50);
    proxy.faults.wrongAnswers = [faultAt(place)];
    await using indexing = await index();
    await indexing.untilState("X", "STOPPED", new RegExp(`^${reason.replace("N", String(place + 1))}`));
    // The vertices before it are stored, although they were fetched together with it.
    expect(await vertices(indexing)).toBe(place);
    await indexing.untilHeads({ P: 234 });
    await proxy.heal();
    await indexing.untilHeads({ X: 68 });
    expect(await vertices(indexing)).toBe(134);
  });

  it("stops if a vertex is repeated, while P continues", async () => {
    proxy.faults.wrongAnswers = [twiceContainer("vertices", 133)];
    await using indexing = await index();
    await indexing.untilState("X", "STOPPED", /^the node's index lists vertex \w+ twice$/);
    await indexing.untilHeads({ P: 234 });
    await indexing.untilState("P", "FOLLOWING");
    await proxy.heal();
    await indexing.untilHeads({ X: 68 });
    expect(await vertices(indexing)).toBe(134);
  });

  it("needs all vertices of the index except the stop vertex", async () => {
    proxy.faults.wrongAnswers = [missingContainer("vertices", 133), missingContainer("vertices", 132)];
    await using indexing = await index();
    await indexing.untilState(
      "X",
      "STOPPED",
      /^the stop vertex computed from the node's vertices is not \w+, the parent of X-Chain block 0/,
    );
    expect(await indexing.heads()).toMatchObject({ X: -1 });
    proxy.faults.wrongAnswers = [missingContainer("vertices", 133)];
    await indexing.untilHeads({ X: 68 });
    expect(await vertices(indexing)).toBe(133);
  });
});

const EARNED = `SELECT (SELECT block_number FROM primary_heads WHERE chain = 'P') AS "P",
    (SELECT block_number FROM primary_heads WHERE chain = 'X') AS "X", sum(potential_reward)::text AS earned
  FROM stakers`;

describe("the settings of a network", () => {
  const GENESIS = join(ALPHA, "genesis.json.gz");

  it("may name a genesis file that is created later; the reason does not contain its path", async () => {
    const folder = await mkdtemp(join(tmpdir(), "genesis-"));
    try {
      const genesisFile = join(folder, "genesis.json");
      await using indexing = await withoutC({ network: { genesisFile } });
      for (const chain of ["P", "X", "C"] as const)
        await indexing.untilState(
          chain,
          "STOPPED",
          /^the file named by the setting primaryNetworks\[\]\.genesisFile cannot be used/,
        );
      copyFileSync(GENESIS, genesisFile);
      await indexing.untilHeads(HEADS);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("must name the genesis of the indexed network", async () => {
    await using database = await indexedDatabase();
    await database.pool.query("UPDATE primary_networks SET genesis_hash = decode(repeat('ab', 32), 'hex')");
    await using indexing = await withoutC({ database });
    const reason =
      /^the database was indexed from the genesis \w+, but that of primaryNetworks\[\]\.genesisFile is 2bvka5o\w+:/;
    await indexing.untilState("P", "STOPPED", reason);
  });

  it("replay the rows when staking rewards change", async () => {
    await using database = await indexedDatabase();
    const earnings = async () => (await database.pool.query<{ P: string; X: string; earned: string }>(EARNED)).rows[0];
    const indexed = async (maxConsumptionRate: number, isIt: (earned: bigint) => boolean): Promise<bigint> => {
      await using _indexing = await withoutC({ database, network: { rewards: { maxConsumptionRate } } });
      const isDone = (now: Awaited<ReturnType<typeof earnings>>) =>
        now?.P === String(HEADS.P) && now.X === String(HEADS.X) && isIt(BigInt(now.earned));
      return BigInt((await until(earnings, isDone, `the rows with the rate ${maxConsumptionRate}`))?.earned ?? 0);
    };
    const first = await indexed(120_000, () => true);
    expect(first).toBeGreaterThan(0n);
    await indexed(500_000, (earned) => earned > first);
    await indexed(120_000, (earned) => earned === first);
    expect(await dumpPrimary(database.pool, NETWORK)).toEqual(whole);
  });

  it("may have no C-Chain", async () => {
    await using indexing = await withoutC();
    await indexing.untilState(
      "C",
      "WAITING",
      /^the C-Chain's atomic transactions are read from its EVM blocks, but no entry of evmChains/,
    );
  });
});

describe("the rules that a node reports", () => {
  const upgrades = () => JSON.parse(recording.answer("/ext/info", "info.upgrades")?.text ?? "") as object;

  it("are stored if they change in the future", async () => {
    await using database = await indexedDatabase();
    await using indexing = await withoutC({ database });
    for (const chain of ["P", "X"] as const) await indexing.untilState(chain, "FOLLOWING");
    expect(await rulesIn(indexing)).toMatchObject({ upgrades: { helicon: 253_399_622_400 } });
    await faulty.down();
    await indexing.untilState("P", "WAITING");
    faulty.faults.wrongAnswers = [answers("info.upgrades", { ...upgrades(), heliconTime: "2040-01-01T00:00:00Z" })];
    await faulty.up();
    await indexing.untilState("P", "FOLLOWING");
    expect(await rulesIn(indexing)).toMatchObject({ upgrades: { helicon: 2_208_988_800 } });
    expect(await dumpPrimary(indexing.database.pool, NETWORK)).toEqual(whole);
  });

  it("stop the chain if they differ from the rules of the rows", async () => {
    await using database = await indexedDatabase();
    await using indexing = await withoutC({ database });
    for (const chain of ["P", "X"] as const) await indexing.untilState(chain, "FOLLOWING");
    await faulty.down();
    await indexing.untilState("P", "WAITING");
    faulty.faults.wrongAnswers = [answers("info.upgrades", { ...upgrades(), graniteTime: "2026-11-21T09:10:00Z" })];
    await faulty.up();
    await indexing.untilState(
      "P",
      "STOPPED",
      /^the node reports upgrade times or fee parameters that differ .* `moraine replay --network/,
    );
    await faulty.heal();
    await indexing.untilState("P", "FOLLOWING");
  });
});

it("the network's C-Chain waits while its EVM chain waits", async () => {
  await using indexing = await start({ nodeUrl: faulty.url, withCChain: true });
  await indexing.untilHeads({ C: C_HEAD });
  await indexing.untilState("C", "FOLLOWING");
  await faulty.down();
  await indexing.untilState("C", "WAITING", /^the EVM chain: the node gave no answer \(ECONNREFUSED\)$/);
  await faulty.up();
  await indexing.untilState("C", "FOLLOWING");
});

async function rulesIn({ database }: PrimaryIndexing): Promise<unknown> {
  return JSON.parse((await database.pool.query("SELECT rules FROM primary_networks")).rows[0]?.rules ?? "{}");
}

/** An index of the P-Chain with this many containers. */
function indexEndsAt(length: number): Fault {
  return {
    answer: (method, params, answer, path) => {
      if (method !== "index.getContainerRange" || path !== "/ext/index/P/block" || !("result" in answer)) return answer;
      const [asked] = params as [{ readonly startIndex: string }];
      const left = length - Number(asked.startIndex);
      const message = `start index (${asked.startIndex}) > last accepted index (${length - 1})`;
      if (left <= 0) return { error: { code: -32000, message } };
      const { containers } = answer.result as { readonly containers: readonly unknown[] };
      return { result: { containers: containers.slice(0, left) } };
    },
  };
}
