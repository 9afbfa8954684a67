import type pg from "pg";
import { openRecording } from "../../../../recordings/recording.ts";
import { ALPHA } from "../../../../recordings/replay-node.ts";
import type { TestDatabase } from "../../../../test/support/database/database.ts";
import { sampled } from "../../../../test/support/full.ts";
import { indexedAlpha } from "../../../../test/support/indexed/indexed.ts";
import { ACTIVITY_TABLES, expectedActivity } from "../../../../test/support/oracle/activity-oracle.ts";
import { expectedFacts } from "../../../../test/support/oracle/facts-oracle.ts";
import { difference, indexedRows } from "../../../../test/support/oracle/facts-rows.ts";
import { createRandomIntegers } from "../../../../test/support/random.ts";
import { type NodeBlock, recordedChain } from "../../../../test/support/recorded/node-chain.ts";
import { tryBecomeWriter, type Writer } from "../../../shared/writer.ts";
import { decodeBlocks } from "../../decode/block.ts";
import { chainRules } from "../../decode/chain-rules.ts";
import { acceptedEntries } from "../../raw-store/journal.ts";
import { storedBlocks } from "../../raw-store/stored-blocks.ts";
import type { RawBlock } from "../../wire/blocks.ts";
import { loadHead } from "../head.ts";
import { insertBlocks } from "../insert-blocks.ts";
import { clearRows, rollBack } from "../roll-back.ts";

const recorded = recordedChain(openRecording(ALPHA), "c");
const rules = chainRules({ chainId: recorded.chainId });
const { chainId } = rules;
const facts = expectedFacts(recorded, recorded.blocks);
const LAST = recorded.blocks.length - 1;
const START = Date.parse("2027-02-25T00:00:00Z") / 1_000;

/** Another time for a recorded block: `step` seconds after the block before. */
const timeOf = ({ block }: { readonly block: { readonly number: string } }, step: number): `0x${string}` =>
  `0x${(START + step * Number(block.number)).toString(16)}`;

describe("the activity of a chain", () => {
  let database: TestDatabase;
  let writer: Writer;
  let raws: RawBlock[];
  beforeAll(async () => {
    database = await indexedAlpha();
    writer = (await tryBecomeWriter(database.url, chainId)) as Writer;
    raws = await writer.transaction(async (session) =>
      storedBlocks(session, chainId, await acceptedEntries(session, chainId, 0, LAST)),
    );
  }, 90_000);
  afterAll(async () => {
    await writer[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  /** Inserts this number of blocks above the head, and returns the new head. */
  async function insert(blocks: readonly RawBlock[], count: number): Promise<number> {
    return writer.transaction(async (session) => {
      const head = await loadHead(session, chainId);
      const next = blocks.slice(head.blockNumber + 1, head.blockNumber + 1 + count);
      const { blockNumber } = await insertBlocks(session, rules, await decodeBlocks(rules, head, next), 0);
      return blockNumber;
    });
  }

  async function expectCounted(blocks: readonly NodeBlock[]): Promise<void> {
    const expected = expectedActivity(recorded, blocks, facts);
    for (const table of ACTIVITY_TABLES)
      expect([table, difference(expected[table], await indexedRows(database.pool, table, recorded.chainId))]).toEqual([
        table,
        { missing: [], extra: [] },
      ]);
  }

  it.each(
    sampled(
      [
        ["seconds", 7, 11],
        ["minutes", 13 * 60, 23],
        ["hours", 5 * 3_600 + 11 * 60, 37],
        ["days", 3 * 86_400 + 17, 53],
      ] as const,
      2,
    ),
  )(
    "equals a count over all blocks, with %s between blocks, in batches of any size and after rollbacks to any block",
    async (_what, step, seed) => {
      const random = createRandomIntegers(seed);
      const moved = raws.map((raw) => ({ ...raw, block: { ...raw.block, timestamp: timeOf(raw, step) } }));
      const blocks = recorded.blocks.map((one) => ({ ...one, block: { ...one.block, timestamp: timeOf(one, step) } }));
      await writer.transaction((session) => clearRows(session, chainId));
      let rollbacks = 0;
      for (let head = -1; head < LAST; ) {
        head = await insert(moved, 1 + (random() % 40));
        if (random() % 3 > 0) continue;
        const ancestor = Math.max(0, head - (random() % 60));
        await writer.transaction((session) => rollBack(session, chainId, { seq: 0, blockNumber: ancestor }));
        await expectCounted(blocks.slice(0, ancestor + 1));
        head = ancestor;
        rollbacks++;
      }
      expect(rollbacks).toBeGreaterThan(2);
      await expectCounted(blocks);
    },
    60_000,
  );

  it("has no rows after a rollback to the genesis block", async () => {
    await writer.transaction((session) => rollBack(session, chainId, { seq: 0, blockNumber: 0 }));
    for (const table of ACTIVITY_TABLES) expect(await indexedRows(database.pool, table, recorded.chainId)).toEqual([]);
  });

  it("of a batch is stored with three statements and one COPY, however many blocks it has", async () => {
    const statements: string[] = [];
    const copies: string[] = [];
    await writer.transaction(async (session) => {
      const counting = {
        query: <Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]) => {
          statements.push(text);
          return session.query<Row>(text, values);
        },
        copy: (...copied: Parameters<typeof session.copy>) => {
          copies.push(copied[0]);
          return session.copy(...copied);
        },
      };
      const head = await loadHead(session, chainId);
      const blocks = await decodeBlocks(rules, head, raws.slice(1));
      await insertBlocks(counting, rules, blocks, 0);
    });
    expect(statements.filter((text) => /evm_(addresses|activity)/.test(text))).toHaveLength(3);
    expect(copies.filter((table) => table === "evm_block_activity")).toHaveLength(1);
  });
});
