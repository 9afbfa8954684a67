import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../../recordings/replay-node.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { startPrimaryIndexing } from "../../../test/support/indexed/primary-indexing.ts";
import { dumpPrimary } from "../../../test/support/indexed/primary-tables.ts";

const NETWORK = 76001;
const HEADS = { P: 408, X: 143, C: 234 };
const EXT_DATA = "SELECT block_number::int AS number, encode(ext_data, 'hex') AS data FROM evm_ext_data ORDER BY 1";
const OTHER_HASH = "ab".repeat(32);

it("atomic transactions are indexed again if the EVM indexer replaces a block of the C-Chain after they were indexed", async () => {
  await using node = await startReplayNode({ recording: openRecording(ALPHA) });
  await using indexing = await startPrimaryIndexing({ folder: ALPHA, node });
  await indexing.untilHeads({ P: 408, X: 143, C: 234 });
  for (const chain of ["P", "X", "C"] as const) await indexing.untilState(chain, "FOLLOWING");
  const { pool } = indexing.database;
  const { primary_heads: _before, ...before } = await dumpPrimary(pool, NETWORK);
  await pool.query(
    `WITH blocks AS (UPDATE evm_blocks SET block_hash = decode($1, 'hex') WHERE block_number = 234)
     UPDATE chain_heads SET block_hash = decode($1, 'hex')`,
    [OTHER_HASH],
  );
  const head = "SELECT encode(block_hash, 'hex') AS hash FROM primary_heads WHERE chain = 'C'";
  const headHash = async () => (await pool.query<{ hash: string }>(head)).rows[0]?.hash;
  await until(
    headHash,
    (hash) => hash === OTHER_HASH,
    "the atomic transactions up to the block that replaced block 234",
  );
  const { primary_heads: _after, ...after } = await dumpPrimary(pool, NETWORK);
  expect(after).toEqual(before);
});

it("atomic transactions that cannot be decoded stop the C-Chain at their block, and the blocks before it are stored", async () => {
  await using node = await startReplayNode({ recording: openRecording(ALPHA) });
  await using database = await createTestDatabase();
  {
    await using indexing = await startPrimaryIndexing({ folder: ALPHA, node, database });
    await indexing.untilHeads(HEADS);
  }
  const { pool } = database;
  const { primary_heads: _before, ...before } = await dumpPrimary(pool, NETWORK);
  const { rows } = await pool.query<{ number: number; data: string }>(EXT_DATA);
  const middle = rows.length >> 1;
  const [last, bad] = rows.slice(middle - 1) as [(typeof rows)[0], (typeof rows)[0]];
  const setData = (data: string) =>
    pool.query("UPDATE evm_ext_data SET ext_data = decode($1, 'hex') WHERE block_number = $2", [data, bad.number]);
  await setData(bad.data.slice(0, -20));
  await pool.query("UPDATE primary_heads SET block_hash = decode($1, 'hex') WHERE chain = 'C'", [OTHER_HASH]);
  await using indexing = await startPrimaryIndexing({ folder: ALPHA, node, database });
  const reason = new RegExp(`^the extra data of block ${bad.number} of the C-Chain \\(0x\\w+\\) cannot be decoded: `);
  await indexing.untilState("C", "STOPPED", reason);
  expect(await indexing.heads()).toEqual({ ...HEADS, C: last.number });
  await setData(bad.data);
  await indexing.untilHeads(HEADS);
  const { primary_heads: _after, ...after } = await dumpPrimary(pool, NETWORK);
  expect(after).toEqual(before);
});

it("atomic transactions are not WAITING while the rows of the EVM chain are rebuilt", async () => {
  await using node = await startReplayNode({ recording: openRecording(ALPHA) });
  await using indexing = await startPrimaryIndexing({ folder: ALPHA, node });
  await indexing.untilHeads(HEADS);
  const { pool } = indexing.database;
  await pool.query("UPDATE chain_heads SET block_number = 100");
  await indexing.untilState(
    "C",
    "WAITING",
    /^EVM chain \d+ is indexed up to block 100, but its atomic transactions up/,
  );
  const rebuilt =
    "UPDATE chain_progress SET state = 'BACKFILLING', reason = 'the rows are rebuilt from the raw blocks'";
  const state = "SELECT state, reason FROM primary_progress WHERE chain = 'C'";
  await until(
    async () => {
      // The indexer of the EVM chain, which knows nothing of a rebuild, writes its state, too.
      await pool.query(rebuilt);
      return (await pool.query<{ state: string; reason: string | null }>(state)).rows[0];
    },
    (now) => now?.state === "BACKFILLING" && now.reason === "the EVM chain: the rows are rebuilt from the raw blocks",
    "the atomic transactions to wait for the rebuild",
  );
  expect(await indexing.heads()).toMatchObject(HEADS);
});
