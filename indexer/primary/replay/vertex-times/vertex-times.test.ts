import type { PrimaryChain } from "../../../../core/networks/primary-chains.ts";
import { createTestDatabase, type TestDatabase } from "../../../../test/support/database/database.ts";
import { dumpPrimary } from "../../../../test/support/indexed/primary-tables.ts";
import { replayPrimary, storeFacts } from "../../../../test/support/indexed/replayed-primary.ts";
import { acceptanceTimes, retimeVertices } from "../../../../test/support/indexed/retime-vertices.ts";
import { readPrimaryRecording } from "../../../../test/support/recorded/primary-recording.ts";
import { recordingFolder } from "../../../../test/support/recorded/primary-vectors.ts";
import { UNTRUE_TIMES } from "../../../../test/support/recorded/retimed-vertices.ts";
import { tryBecomeWriter } from "../../../shared/writer.ts";
import { createRawBlockPartition } from "../../raw-blocks/entries.ts";
import { openReplay, type PrimaryReplay } from "../replay.ts";

const recording = readPrimaryRecording(recordingFolder("delta"));
const { networkId, genesis } = recording.network;
const trueTimes = acceptanceTimes(recording);
const A_DAY = 86_400;
/** The entries as a node returns them that bootstrapped a day later. */
const moved = {
  P: recording.entries.P,
  X: recording.entries.X.map((entry) =>
    entry.isVertex ? { ...entry, acceptedAt: (entry.acceptedAt ?? 0) + A_DAY } : entry,
  ),
};

type Step = readonly [chain: PrimaryChain, size: number];
/** Replays the chains in turn, in batches of some size, and returns the database. */
async function replayedIn(steps: readonly Step[]): Promise<TestDatabase> {
  const database = await createTestDatabase();
  const writer = await tryBecomeWriter(database.url, "primary");
  if (!writer) throw new Error("the database has a writer already");
  try {
    await writer.transaction((session) => storeFacts(session, recording.network));
    await createRawBlockPartition(writer, networkId);
    const replay = await openReplay({ writer, network: recording.network });
    while (await nextBatches(replay, steps));
  } finally {
    await writer[Symbol.asyncDispose]();
  }
  return database;
}

/** Writes the next batch of each chain. False if there is none. */
async function nextBatches(replay: PrimaryReplay, steps: readonly Step[]): Promise<boolean> {
  let isMore = false;
  for (const [chain, size] of steps) {
    const from = replay.heads[chain].rawSeq + 1;
    const blocks = recording.atomicBlocks.filter(({ number }) => number >= from).slice(0, size);
    const entries = chain === "C" ? [] : moved[chain].slice(from, from + size);
    if (chain !== "C") await replay.accept(chain, entries);
    else if (blocks.length > 0) await replay.acceptAtomic(blocks);
    isMore ||= (chain === "C" ? blocks : entries).length > 0;
  }
  return isMore;
}

interface StoredVertex {
  readonly time: number;
  readonly earliest: number | null;
}

async function storedVertices({ pool }: TestDatabase): Promise<StoredVertex[]> {
  const { rows } = await pool.query<{ time: string; earliest: string | null }>(
    "SELECT vertex_timestamp AS time, earliest_timestamp AS earliest FROM x_chain_vertices ORDER BY vertex_index",
  );
  return rows.map(({ time, earliest }) => ({
    time: Number(time),
    earliest: earliest === null ? null : Number(earliest),
  }));
}

/** What no times may show; each query returns the rows that do. */
const IMPOSSIBLE = {
  "a transaction of a vertex after block 0": `SELECT FROM primary_transactions t JOIN primary_blocks b ON b.chain = 'X' AND b.block_number = 0
    WHERE t.chain = 'X' AND t.vertex_index IS NOT NULL AND t.block_timestamp > b.block_timestamp`,
  "a vertex before the genesis": `SELECT FROM x_chain_vertices WHERE vertex_timestamp < ${genesis.timestamp}`,
  "a vertex before its parent": `SELECT FROM x_chain_vertices v, unnest(v.parent_hashes) parent
    JOIN x_chain_vertices p ON p.vertex_hash = parent WHERE p.vertex_timestamp > v.vertex_timestamp`,
  "an output that is spent before its creation on the X-Chain": `SELECT FROM utxos
    WHERE created_on_chain = 'X' AND chain = 'X' AND consumed_timestamp < created_timestamp`,
  "an import to the X-Chain before the export": `SELECT FROM utxos
    WHERE created_on_chain <> 'X' AND chain = 'X' AND consumed_timestamp < created_timestamp`,
  "an export after its import to the C-Chain": `SELECT FROM utxos
    WHERE created_on_chain = 'X' AND chain = 'C' AND consumed_timestamp < created_timestamp`,
  "an export after its import to the P-Chain": `SELECT FROM utxos u JOIN primary_blocks b ON b.chain = 'P'
      AND b.block_number = u.consumed_block_number JOIN primary_raw_blocks j ON j.chain = 'P' AND j.seq = b.block_number
    WHERE u.created_on_chain = 'X' AND u.chain = 'P'
      AND CASE WHEN b.block_type LIKE 'Banff%' THEN b.block_timestamp ELSE coalesce(b.proposer_timestamp, j.accepted_at) END < u.created_timestamp`,
  "rows whose time is not that of their vertex": `SELECT FROM primary_transactions t JOIN x_chain_vertices v USING (vertex_index)
      JOIN primary_address_transactions a ON a.chain = 'X' AND a.tx_seq = t.tx_seq
      LEFT JOIN utxos u ON u.created_on_chain = 'X' AND u.tx_hash = t.tx_hash
      LEFT JOIN utxos c ON c.consumed_tx_hash = t.tx_hash LEFT JOIN primary_assets n ON n.asset_id = t.tx_hash
    WHERE v.vertex_timestamp <> ALL (ARRAY[t.block_timestamp, a.block_timestamp, coalesce(u.created_timestamp, v.vertex_timestamp),
      coalesce(c.consumed_timestamp, v.vertex_timestamp), coalesce(n.create_timestamp, v.vertex_timestamp)])
      OR t.block_timestamp <> v.vertex_timestamp`,
} as const;

async function expectPossible(): Promise<void> {
  for (const [what, query] of Object.entries(IMPOSSIBLE)) {
    const { rowCount } = await database.pool.query(query);
    expect([what, rowCount]).toEqual([what, 0]);
  }
}

let database: TestDatabase;
beforeAll(async () => {
  database = await replayPrimary(recordingFolder("delta"));
});
afterAll(() => database[Symbol.asyncDispose]());

/** Vertices whose true time is not within the bounds. */
function wronglyTimed(vertices: readonly StoredVertex[]): number[] {
  return vertices.flatMap(({ time, earliest }, index) => {
    const recorded = trueTimes[index] as number;
    // The stop vertex was accepted a second after the time of block 0.
    const latest = index === vertices.length - 1 ? Math.max(time, recorded) : time;
    return recorded < (earliest ?? time) || recorded > latest ? [index] : [];
  });
}

describe("times of vertices", () => {
  it("are those of a node that followed the chain, unchanged and exact", async () => {
    expect(await storedVertices(database)).toEqual(trueTimes.map((time) => ({ time, earliest: null })));
    await expectPossible();
  });

  it.each(UNTRUE_TIMES)(
    "are possible if the node %s, and the true time is within the bounds",
    async (_, acceptedAt) => {
      await retimeVertices(database, recording, acceptedAt);
      await expectPossible();
      const vertices = await storedVertices(database);
      expect(wronglyTimed(vertices)).toEqual([]);
      expect(vertices.some(({ earliest }) => earliest !== null)).toBe(true);
    },
  );

  it("are those of the file where it has one, which also bound the others", async () => {
    const known = new Map([60, 61, 62, 90].map((index) => [index, trueTimes[index] as number]));
    await retimeVertices(database, recording, (time) => time + A_DAY, known);
    await expectPossible();
    const vertices = await storedVertices(database);
    expect(wronglyTimed(vertices)).toEqual([]);
    for (const [index, time] of known) expect(vertices[index]).toEqual({ time, earliest: null });
  });

  it("do not depend on the order of the chains and the size of batches", async () => {
    await retimeVertices(database, recording, (time) => time + A_DAY);
    await using other = await replayedIn([
      ["C", 90],
      ["X", 60],
      ["P", 70],
    ]);
    expect(await dumpPrimary(other.pool, networkId)).toEqual(await dumpPrimary(database.pool, networkId));
  });
});
