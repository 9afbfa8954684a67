import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../../recordings/replay-node.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { startPrimaryIndexing } from "../../../test/support/indexed/primary-indexing.ts";
import { dumpPrimary } from "../../../test/support/indexed/primary-tables.ts";

const NETWORK = 76001;
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
