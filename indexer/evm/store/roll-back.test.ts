import { tablesOfKind } from "../../../core/database/table-kinds.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { dumpTables } from "../../../test/support/database/tables.ts";
import { sampled } from "../../../test/support/full.ts";
import { recordedChain } from "../../../test/support/recorded/node-chain.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";
import { rawOf } from "../../../test/support/recorded/retimed-blocks.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { chainRules } from "../decode/chain-rules.ts";
import { decodeBlocks } from "../decode/encoded-block.ts";
import { loadHead } from "./head.ts";
import { insertBlocks } from "./insert-blocks.ts";
import { clearRows, rollBack } from "./roll-back.ts";
import { createPartitions } from "./tables.ts";

const CHAINS = [
  ["alpha", "c"],
  ["alpha", "l1"],
  ["gamma", "c"],
  ["delta", "c"],
  ["helicon", "c"],
] as const;

/** Tables with a chain id whose rows do not follow from blocks alone. */
const KEPT: readonly string[] = ["chain_places", ...tablesOfKind("raw", "read", "own", "passing")];

/** Names of the tables with a chain id that follow from blocks. */
async function derivedTables({ pool }: TestDatabase): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE attname = 'chain_id' AND relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = quote_ident(current_schema())::regnamespace
     ORDER BY relname`,
  );
  return rows.map(({ name }) => name).filter((name) => !KEPT.includes(name));
}

/** All rows of a chain that follow from its blocks, and the interchain messages. */
async function derivedRows({ pool }: TestDatabase, chainId: number): Promise<Record<string, readonly unknown[]>> {
  const { tables } = await dumpTables(pool, chainId);
  const { rows: messages } = await pool.query("SELECT * FROM icm_messages ORDER BY message_id");
  const { rows: heads } = await pool.query(
    "SELECT block_number, block_hash, block_timestamp, cumulative_transactions FROM chain_heads WHERE chain_id = $1",
    [chainId],
  );
  return { ...tables, icm_messages: messages as unknown[], chain_heads: heads as unknown[] };
}

describe.each(sampled(CHAINS, 2))("the rows of the recorded chain %s %s", (folder, name) => {
  const chain = recordedChain(openRecording(recordingFolder(folder)), name);
  const raws = chain.blocks.map(rawOf);
  const last = raws.length - 1;
  const rules = chainRules({
    chainId: chain.chainId,
    wrappedNativeTokens: [...chain.wrappedNativeTokens],
    teleporterMessengers: [...chain.messengers],
  });

  async function becomeWriter(database: TestDatabase): Promise<Writer> {
    const writer = (await tryBecomeWriter(database.url, rules.chainId)) as Writer;
    await createPartitions(writer, rules.chainId);
    return writer;
  }

  /** Inserts the blocks above the head, up to this one. */
  async function insert(writer: Writer, upTo: number): Promise<void> {
    await writer.transaction(async (session) => {
      const head = await loadHead(session, rules.chainId);
      const blocks = await decodeBlocks(rules, head, raws.slice(head.blockNumber + 1, upTo + 1));
      await insertBlocks(session, rules, blocks, 0);
    });
  }

  it("are, after a rollback to any block, those of a database that never saw the removed blocks", async () => {
    await using database = await createTestDatabase();
    await using writer = await becomeWriter(database);
    await using short = await createTestDatabase();
    await using shortWriter = await becomeWriter(short);
    await insert(writer, last);
    const all = await derivedRows(database, chain.chainId);
    const ancestors = [0, 0.2, 0.5, 0.8].map((share) => Math.floor(last * share));
    const expected: Record<string, readonly unknown[]>[] = [];
    for (const ancestor of ancestors) {
      await insert(shortWriter, ancestor);
      expected.push(await derivedRows(short, chain.chainId));
    }
    for (const [at, ancestor] of [...ancestors.entries()].reverse()) {
      await writer.transaction((session) => rollBack(session, rules.chainId, { seq: 0, blockNumber: ancestor }));
      expect(await derivedRows(database, chain.chainId)).toEqual(expected[at]);
    }
    await insert(writer, last);
    expect(await derivedRows(database, chain.chainId)).toEqual(all);
    // No table was left out.
    expect(await derivedTables(database)).toEqual(
      Object.keys(all)
        .filter((table) => table !== "icm_messages")
        .sort(),
    );
  });

  it("are all deleted before they are computed again", async () => {
    await using database = await createTestDatabase();
    await using writer = await becomeWriter(database);
    await insert(writer, last);
    await writer.transaction((session) => clearRows(session, rules.chainId));
    for (const table of [...(await derivedTables(database)), "icm_messages"])
      expect([table, (await database.pool.query(`SELECT FROM ${table}`)).rowCount]).toEqual([table, 0]);
  });
});
