import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { PrimaryNetworkConfig } from "../../core/config/config-schema.ts";
import { parseIdText } from "../../core/formats/id-text.ts";
import { demoNetwork } from "../../recordings/demo.ts";
import { openRecording, type Recording } from "../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../recordings/replay-node.ts";
import { testConfig } from "../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { startPrimaryIndexing } from "../../test/support/indexed/primary-indexing.ts";
import { dumpPrimary } from "../../test/support/indexed/primary-tables.ts";
import { type ReplayedPrimary, replayPrimary } from "../../test/support/indexed/replayed-primary.ts";
import { startFaultyNode } from "../../test/support/node/faulty-node.ts";
import { readPrimaryRecording } from "../../test/support/recorded/primary-recording.ts";
import {
  describeRecordings,
  factsOf,
  type RecordedFacts,
  recordingFolder,
  resultsIn,
} from "../../test/support/recorded/primary-vectors.ts";
import { createPrimarySource } from "./fetch/source.ts";
import { readVertexTimes } from "./fetch/vertex-times.ts";
import { replayNetwork } from "./replay-network.ts";

interface Heads {
  readonly P: number;
  readonly X: number;
  readonly C: number;
}

const headsOf = ({ heights }: RecordedFacts): Heads => ({ P: heights.P, X: heights.X, C: heights.c });
const halfOf = ({ P, X, C }: Heads): Heads => ({ P: P >> 1, X: X >> 1, C: C >> 1 });

function setHeads(node: ReplayNode, heads: Heads): void {
  for (const [chain, height] of Object.entries(heads)) node.setHead(chain, height);
}

describeRecordings(
  "an indexed primary network",
  (folder) => {
    let recording: Recording;
    let heads: Heads;
    let networkId: number;
    let oracle: ReplayedPrimary;
    beforeAll(async () => {
      recording = openRecording(folder);
      const facts = factsOf(folder);
      heads = headsOf(facts);
      networkId = facts.networkID;
      oracle = await replayPrimary(folder);
    });
    afterAll(() => oracle?.[Symbol.asyncDispose]());

    it("has the raw blocks and rows of all the node's data, and the proposers of C-Chain blocks", async () => {
      await using node = await startReplayNode({ recording });
      await using indexing = await startPrimaryIndexing({ folder, node });
      await indexing.untilHeads(heads);
      for (const chain of ["P", "X", "C"] as const) await indexing.untilState(chain, "FOLLOWING");
      const { pool } = indexing.database;
      expect(await dumpPrimary(pool, networkId)).toEqual(await dumpPrimary(oracle.pool, networkId));
      for (const chain of ["P", "X"] as const) {
        const { rows } = await pool.query(RAW_BLOCKS, [networkId, chain]);
        const entries = oracle.recording.entries[chain];
        expect(rows).toEqual(entries.map((entry) => ({ ...entry, payload: Buffer.from(entry.payload) })));
      }
      await indexing.untilProposers(heads.C);
      const { rows } = await pool.query<CRow>(C_BLOCKS, [networkId]);
      expect(rows).toEqual(cBlocksIn(folder));
    });

    it("has the same rows after a restart in the middle and in small batches", async () => {
      await using node = await startReplayNode({ recording });
      await using database = await createTestDatabase();
      const options = { folder, node, database, indexing: { batchBlocks: 7 } };
      setHeads(node, halfOf(heads));
      {
        await using indexing = await startPrimaryIndexing(options);
        await indexing.untilHeads(halfOf(heads));
        await indexing.untilProposers(heads.C >> 1);
      }
      setHeads(node, heads);
      await using indexing = await startPrimaryIndexing(options);
      await indexing.untilHeads(heads);
      await indexing.untilProposers(heads.C);
      expect(await dumpPrimary(database.pool, networkId)).toEqual(await dumpPrimary(oracle.pool, networkId));
    });

    it("has the rows of P from a node without an index, and those of X unless it started with vertices", async () => {
      await using node = await startReplayNode({ recording });
      await using faulty = await startFaultyNode({ upstream: node.url });
      faulty.faults.missingPaths = /^\/ext\/index/;
      await using indexing = await startPrimaryIndexing({ folder, node, nodeUrl: faulty.url });
      await indexing.untilHeads({ P: heads.P, C: heads.C });
      const { pool } = indexing.database;
      if (oracle.recording.vertexCount > 0) {
        await indexing.untilState(
          "X",
          "WAITING",
          /^the X-Chain began with vertices, and the node has no index of them/,
        );
        expect(await indexing.heads()).toEqual({ P: heads.P, C: heads.C });
        const count = "SELECT count(*)::int AS n FROM primary_transactions WHERE chain = 'P'";
        expect((await pool.query(count)).rows).toEqual((await oracle.pool.query(count)).rows);
        return;
      }
      await indexing.untilHeads(heads);
      const withWrappers = false;
      expect(await dumpPrimary(pool, networkId, { withWrappers })).toEqual(
        await dumpPrimary(oracle.pool, networkId, { withWrappers }),
      );
      const { rows } = await pool.query(
        `SELECT count(proposer_id)::int AS proposed, (SELECT count(accepted_at)::int FROM primary_raw_blocks) AS timed
       FROM primary_blocks`,
      );
      expect(rows).toEqual([{ proposed: 0, timed: 0 }]);
    });
  },
  { inShortForm: 1 },
);

const RAW_BLOCKS = `SELECT seq::int, is_vertex AS "isVertex", accepted_at::int AS "acceptedAt", payload FROM primary_raw_blocks
  WHERE network_id = $1 AND chain = $2 ORDER BY seq`;

/** A row of a C-Chain block as text; the container id of a block without ProposerVM wrapper is the block's id. */
interface CRow {
  readonly number: number;
  readonly hash: string;
  readonly parent: string;
  readonly timestamp: number;
  readonly transactions: readonly string[];
  readonly container: string;
  readonly parent_container: string;
}

const C_BLOCKS = `SELECT block_number::int AS number, encode(block_hash, 'hex') AS hash,
    encode(parent_hash, 'hex') AS parent, block_timestamp::int AS timestamp,
    array(SELECT encode(one, 'hex') FROM unnest(tx_hashes) WITH ORDINALITY t(one, place) ORDER BY place) AS transactions,
    encode(coalesce(proposer_id, block_hash), 'hex') AS container,
    encode(coalesce(proposer_parent_id, parent_hash), 'hex') AS parent_container
  FROM primary_blocks WHERE network_id = $1 AND chain = 'C' ORDER BY block_number`;

/** The same row from the node's EVM API and the ids in its index. */
function cBlocksIn(folder: string): CRow[] {
  const ids = resultsIn(folder, "index-c-block", "index.getContainerByIndex").map(({ text }) =>
    parseIdText((JSON.parse(text) as { id: string }).id),
  );
  const byNumber = new Map<number, CRow>();
  for (const { text } of resultsIn(folder, "c-blocks", "eth_getBlockByNumber")) {
    const block = JSON.parse(text) as Record<string, string> & { transactions: { hash: string }[] };
    const number = Number(block["number"]);
    const parent = String(block["parentHash"]).slice(2);
    byNumber.set(number, {
      number,
      hash: String(block["hash"]).slice(2),
      parent,
      timestamp: Number(block["timestamp"]),
      transactions: block.transactions.map(({ hash }) => hash.slice(2)),
      container: ids[number - 1] ?? "",
      parent_container: ids[number - 2] ?? parent,
    });
  }
  byNumber.delete(0);
  return [...byNumber.values()].sort((one, other) => one.number - other.number);
}

describe("an X-Chain that started with vertices", () => {
  const folder = recordingFolder("delta");
  const recording = openRecording(folder);
  const ids = recording
    .calls("/ext/index/X/vtx", "index.getContainerByIndex")
    .map(({ text }) => (JSON.parse(text) as { readonly id: string }).id);
  const timesFile = join(mkdtempSync(join(tmpdir(), "moraine-vertices-")), "times.gz");
  afterAll(() => rmSync(dirname(timesFile), { recursive: true }));

  it("has the times of its vertices from the configured file, in ascending order, as after `moraine replay`", async () => {
    const [first = "", second = "", third = ""] = ids;
    const { genesis } = readPrimaryRecording(folder).network;
    const at = (seconds: number) => genesis.timestamp + seconds;
    writeFileSync(timesFile, gzipSync(`${first} ${at(1)}\n\n${second} ${at(7)}\n${third},${at(3)}\n`));
    await using node = await startReplayNode({ recording });
    const timesWith = async (database: TestDatabase, network: { readonly vertexTimesFile?: string }) => {
      await using indexing = await startPrimaryIndexing({ folder, node, withCChain: false, network, database });
      await indexing.untilState("X", "FOLLOWING");
      const text = `SELECT vertex_timestamp AS time, earliest_timestamp AS earliest FROM x_chain_vertices v
        JOIN x_chain_vertex_times USING (network_id) ORDER BY vertex_index`;
      const read = async () => (await database.pool.query<{ time: string; earliest: string }>(text)).rows;
      return await until(read, (rows) => rows.length > 0, "the times of the vertices");
    };
    await using indexedWithFile = await createTestDatabase();
    const fromFile = await timesWith(indexedWithFile, { vertexTimesFile: timesFile });

    await using indexedWithout = await createTestDatabase();
    expect(await timesWith(indexedWithout, {})).not.toEqual(fromFile);
    const network = { ...demoNetwork(recording.manifest, folder, node.url), vertexTimesFile: timesFile };
    const { primaryNetworks, indexing } = testConfig({ primaryNetworks: [network] });
    const settings = primaryNetworks[0] as PrimaryNetworkConfig;
    const signal = new AbortController().signal;
    await using source = createPrimarySource({ ...indexing, url: node.url, headers: {}, signal });
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    await replayNetwork({ url: indexedWithout.url, settings, source, signal, report });
    expect(lines[0]).toMatch(/: the file of times has 3 of the stored vertices$/);
    // The replayed times need no file any more.
    expect(await timesWith(indexedWithout, {})).toEqual(fromFile);

    const times = fromFile.map(({ time }) => Number(time));
    expect(times.length).toBeGreaterThan(100);
    expect(times.slice(0, 3)).toEqual([at(1), at(7), at(7)]);
    expect(times[3]).toBeGreaterThan(at(7));
  });

  it.each([
    [
      "not-an-id 1600000000",
      'line 1 must be a vertex id and a time in seconds since the epoch, got "not-an-id 1600000000"',
    ],
    [`\n${ids[0]} soon`, "line 2 must be"],
  ])("waits for a valid file: %j", async (text, detail) => {
    writeFileSync(timesFile, text);
    await expect(readVertexTimes(timesFile)).rejects.toMatchObject({
      message:
        "the file named by the setting primaryNetworks[].vertexTimesFile cannot be used; the log gives the reason",
      detail: expect.stringContaining(detail),
    });
  });
});

describe("the demo's primary network", () => {
  it("has heads of P and X that start at three quarters and advance with the clock, and the rows follow", async () => {
    let now = 0;
    await using node = await startReplayNode({ heads: { startedAtMs: 0, now: () => now } });
    await using indexing = await startPrimaryIndexing({ folder: ALPHA, node });
    await indexing.untilHeads({ P: 306, X: 107, C: 175 });
    now = 30_000;
    const later = { P: node.head("P"), X: node.head("X"), C: node.head("C") };
    expect(Math.min(later.P - 306, later.X - 107, later.C - 175)).toBeGreaterThan(5);
    await indexing.untilHeads(later);
    now = 1e9;
    await indexing.untilHeads({ P: 408, X: 143, C: 234 });
  });
});
