import type pg from "pg";
import { openRecording } from "../../../../recordings/recording.ts";
import { createTestDatabase, type TestDatabase } from "../../../../test/support/database/database.ts";
import { sampled } from "../../../../test/support/full.ts";
import { ACTIVITY_TABLES, expectedActivity } from "../../../../test/support/oracle/activity-oracle.ts";
import { expectedFacts, type Facts, type FactTable } from "../../../../test/support/oracle/facts-oracle.ts";
import { difference, indexedRows } from "../../../../test/support/oracle/facts-rows.ts";
import { expectedHoldings, HOLDING_TABLES } from "../../../../test/support/oracle/holdings-oracle.ts";
import { createRandomIntegers } from "../../../../test/support/random.ts";
import { recordedChain } from "../../../../test/support/recorded/node-chain.ts";
import { recordingFolder } from "../../../../test/support/recorded/primary-vectors.ts";
import { rawOf, retimed } from "../../../../test/support/recorded/retimed-blocks.ts";
import { type Session, tryBecomeWriter, type Writer } from "../../../shared/writer.ts";
import { type ChainRules, chainRules } from "../../decode/chain-rules.ts";
import { decodeBlocks } from "../../decode/encoded-block.ts";
import type { RawBlock } from "../../wire/blocks.ts";
import { loadHead } from "../head.ts";
import { insertBlocks } from "../insert-blocks.ts";
import { rollBack } from "../roll-back.ts";
import { createPartitions } from "../tables.ts";

/** Recorded chains, with the number of seconds between their blocks. The recorded times are within one hour. */
const CHAINS = [
  ["alpha", "c", 5 * 3_600 + 660],
  ["alpha", "l1", 13 * 60],
  ["gamma", "c", 3 * 86_400 + 17],
  ["gamma", "l1", 7],
  ["delta", "c", 11 * 3_600],
  ["helicon", "c", 20 * 86_400],
  ["streaming", "c", 86_400],
] as const;

describe("the activity and the holders of a chain", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  /** Inserts this number of blocks above the head, and returns the new head. */
  async function insert(writer: Writer, rules: ChainRules, raws: readonly RawBlock[], count: number): Promise<number> {
    return writer.transaction((session) => insertIn(session, rules, raws, count));
  }

  async function insertIn(session: Session, rules: ChainRules, raws: readonly RawBlock[], count: number) {
    const head = await loadHead(session, rules.chainId);
    const next = raws.slice(head.blockNumber + 1, head.blockNumber + 1 + count);
    return (await insertBlocks(session, rules, await decodeBlocks(rules, head, next), 0)).blockNumber;
  }

  async function becomeWriter(chainId: string): Promise<Writer> {
    const writer = (await tryBecomeWriter(database.url, chainId)) as Writer;
    await createPartitions(writer, chainId);
    return writer;
  }

  it.each(sampled(CHAINS, 3))(
    "equal a count over all blocks of the recorded chain %s %s, with %s seconds between blocks: in batches of any size, and after rollbacks to any block",
    async (folder, name, step) => {
      const chain = recordedChain(openRecording(recordingFolder(folder)), name);
      const facts = expectedFacts(chain, chain.blocks);
      const chainId = String(chain.chainId);
      const blocks = retimed(chain, step);
      const raws = blocks.map(rawOf);
      const expectCounted = async (upTo: number) => {
        const activity = expectedActivity(chain, blocks.slice(0, upTo + 1), facts);
        const holdings = expectedHoldings(chain.chainId, factsUpTo(facts, upTo));
        const expected = { ...activity, ...holdings };
        for (const table of [...ACTIVITY_TABLES, ...HOLDING_TABLES]) {
          const rows = await indexedRows(database.pool, table, chain.chainId);
          expect([table, difference(expected[table], rows)]).toEqual([table, { missing: [], extra: [] }]);
        }
      };
      const { wrappedNativeTokens, messengers } = chain;
      const rules = chainRules({
        chainId: chain.chainId,
        wrappedNativeTokens: [...wrappedNativeTokens],
        teleporterMessengers: [...messengers],
      });
      await using writer = await becomeWriter(chainId);
      const random = createRandomIntegers(step);
      const last = blocks.length - 1;
      let rollbacks = 0;
      for (let head = -1; head < last; ) {
        head = await insert(writer, rules, raws, 1 + (random() % 40));
        const isRolledBack = head === last ? rollbacks < 3 : random() % 3 === 0;
        if (!isRolledBack) continue;
        const ancestor = Math.max(0, head - 1 - (random() % 60));
        await writer.transaction((session) => rollBack(session, chainId, { seq: 0, blockNumber: ancestor }));
        await expectCounted(ancestor);
        head = ancestor;
        rollbacks++;
      }
      await expectCounted(last);
      await writer.transaction((session) => rollBack(session, chainId, { seq: 0, blockNumber: 0 }));
      for (const table of [...ACTIVITY_TABLES, ...HOLDING_TABLES])
        expect(await indexedRows(database.pool, table, chain.chainId)).toEqual([]);
    },
    60_000,
  );

  it("write the activity of a batch with three statements and two COPYs, however many blocks it has", async () => {
    const rules = chainRules({ chainId: 77 });
    const raws = retimed(recordedChain(openRecording(recordingFolder("streaming")), "c"), 60).map(rawOf);
    await using writer = await becomeWriter(rules.chainId);
    const statements: string[] = [];
    const copies: string[] = [];
    await insert(writer, rules, raws, 20);
    await writer.transaction((session) => {
      const recorded: Session = {
        query: <Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]) => {
          statements.push(text);
          return session.query<Row>(text, values);
        },
        copy: (copied) => {
          copies.push(...copied.map(({ table }) => table));
          return session.copy(copied);
        },
      };
      return insertIn(recorded, rules, raws, raws.length);
    });
    expect(statements.filter((text) => /evm_(addresses|activity)/.test(text))).toHaveLength(3);
    expect(copies.filter((table) => /^evm_(addresses|block_activity)$/.test(table))).toHaveLength(2);
    expect(statements.filter((text) => /erc20_(holders|supplies)/.test(text)).length).toBeLessThanOrEqual(3);
    expect(statements.filter((text) => /nft_(holdings|holders|supplies)/.test(text)).length).toBeLessThanOrEqual(8);
  });
});

/** The expected rows of the blocks up to this one. */
function factsUpTo(facts: Facts, blockNumber: number): Facts {
  const tables = Object.entries(facts).map(([table, rows]): [FactTable, Facts[FactTable]] => [
    table as FactTable,
    rows.filter(({ block_number }) => Number(block_number) <= blockNumber),
  ]);
  return Object.fromEntries(tables) as Facts;
}
